import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { contract, type OperationId } from '../../shared/contract.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { MAX_LIMIT } from '../../shared/model/paging.ts'
import { smoke } from '../../shared/resources.ts'
import { duration, run, stopSignal } from '../command-line.ts'
import type { Stage } from '../stages.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { KeyTable, newKey } from './key-table.ts'
import { type Api, check, type Received, type Sent, send } from './smoke-checks.ts'

const { create, body: bodyOf, list, filter, change, refused } = smoke
const PATH = contract[create].path
const LIST = contract[list].path

const pathOf = (operation: OperationId, id: unknown): string =>
  contract[operation].path.replace(/{\w+}/, `${id}`)

const DESCRIPTION = `Tests a deployment: creates, lists and changes what \`smoke\` in shared/resources.ts says, and deletes it if
that is possible. Checks error responses. Issues an API key for itself and revokes it.
Stops at the first wrong response, with the exit code 1. The output says what is left.`

const address = (text: string): string => {
  if (/^https?:\/\/[^/]/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new InvalidArgumentError('Use the address of an API, such as https://api.example.com/v1.')
}

const command = deploymentCommand('npm run smoke --', DESCRIPTION)
  .option('--base-url <address>', 'call the API at another address, such as a new domain', address)
  .addOption(
    new Option(
      '--wait <duration>',
      'how long to wait for the API, and for lists to show the new item',
    )
      .argParser(duration)
      .default(30, '30s'),
  )
  .action(async ({ baseUrl, wait: waitSeconds, ...target }) => {
    // A canceled pipeline should leave neither the item nor the key, which would expire within ten
    // minutes.
    const signal = stopSignal()
    const deployment = await findDeployment(target)
    const table = new KeyTable(deployment)
    const owner = { name: 'smoke test', clientId: 'smoke-test', expiresIn: 600 }
    const { text: apiKey, stored } = newKey(deployment.keyPrefix, owner)
    const api = {
      baseUrl: baseUrl ?? deployment.baseUrl,
      apiKey,
      unknownKey: newApiKey(deployment.keyPrefix),
    }
    try {
      await table.put(stored)
      console.info(`Testing ${api.baseUrl} with the key ${stored.keyId}`)
      await smokeTest({ ...api, waitSeconds, signal })
      await noteAlarms(target.stage)
    } finally {
      await table.remove(stored.digest)
      console.info(`The key ${stored.keyId} is revoked.`)
    }
  })

/** The API to test, a key that it does not know, and how long to wait for it. */
type Plan = Api & { unknownKey: string; waitSeconds: number }

/**
 * Tests an API, and prints a line for each request. Throws a CommandError at the first wrong
 * response, and the reason of `signal`, but first tries to delete what it has created. Prints what
 * stays, and how to delete what may be left.
 */
export const smokeTest = async (plan: Plan): Promise<void> => {
  // A new deployment may take some seconds to respond.
  await check(
    plan,
    200,
    { method: 'GET', path: `${LIST}?limit=1` },
    { waitSeconds: plan.waitSeconds },
  )
  await testItem(plan)
  await testErrors(plan)
}

const testItem = async (plan: Plan): Promise<void> => {
  const runId = randomUUID()
  const name = `Smoke test ${runId}`
  const wanted = bodyOf(name)
  const headers = { 'Idempotency-Key': runId }
  const creation = { method: 'POST', path: PATH, headers, body: wanted }
  try {
    const isWanted = ({ json }: Received) => idOf(json, wanted) !== undefined
    const created = await check(plan, 201, creation, { how: `with "${name}"`, fits: isWanted })
    const id = idOf(created.json, wanted)
    if (smoke.remove) console.info(`If this is killed, delete "${name}": ${deletionOf(plan, id)}`)

    const isReplay = ({ text, headers }: Received) =>
      text === created.text &&
      headers.has('Idempotent-Replayed') &&
      `${headers.get('Location')}`.endsWith(`${PATH}/${id}`)
    await check(plan, 201, creation, {
      how: 'again, with the same Idempotency-Key',
      fits: isReplay,
    })

    const isListed = ({ json }: Received) =>
      Array.isArray(json) && json.some((each) => isDeepStrictEqual(each, created.json))
    const query = new URLSearchParams({ limit: `${MAX_LIMIT}`, ...filter })
    // The index of a list follows the table with a delay.
    await check(
      plan,
      200,
      { method: 'GET', path: `${LIST}?${query}` },
      { how: 'for the new item', fits: isListed, waitSeconds: plan.waitSeconds },
    )

    if (change) await testChange(plan, change, id, created)
    if (refused) {
      const { method } = contract[refused.operation]
      const path = pathOf(refused.operation, id)
      const request = { method, path, body: refused.body(Number(id)) }
      await check(plan, 409, request, { how: 'for the new item' })
    }
    if (!smoke.remove) return console.info(`"${name}" stays: nothing deletes it.`)
    const deletion = { method: 'DELETE', path: pathOf(smoke.remove, id) }
    await check(plan, 204, deletion)
    await check(plan, 404, deletion, { how: 'after that' })
  } catch (error) {
    await removeItem(plan, name, creation)
    throw error
  }
}

const testChange = async (
  plan: Plan,
  { operation, body }: { operation: OperationId; body: object },
  id: unknown,
  { headers }: Received,
): Promise<void> => {
  const request = { method: contract[operation].method, path: pathOf(operation, id), body }
  await check(plan, 200, request, { fits: ({ json }) => idOf(json, body) === id })
  const outdated = { ...request, headers: { 'If-Match': `${headers.get('ETag')}` } }
  await check(plan, 412, outdated, { how: 'with the ETag of the creation' })
}

const testErrors = async (plan: Plan): Promise<void> => {
  // Errors of the functions and of API Gateway itself have the same body.
  for (const { method, path } of Object.values(contract)) {
    const request = { method, path: path.replaceAll(/{\w+}/g, '1'), key: '' }
    await check(plan, 401, request, { how: 'without a key', fits: isChallenge })
  }
  const list = { method: 'GET', path: `${LIST}?limit=1`, key: plan.unknownKey }
  await check(plan, 401, list, { how: 'with an unknown key', fits: isChallenge })
  await check(plan, 400, { method: 'POST', path: PATH, body: [] }, { how: 'with an invalid body' })
  await check(plan, 404, { method: 'GET', path: '/smoke-test' })
  await check(plan, 404, { method: 'GET', path: `${PATH}/1/smoke-test` })
  await check(
    plan,
    405,
    { method: 'PUT', path: PATH },
    { fits: ({ headers }) => headers.has('Allow') },
  )
}

// API Gateway renames the header of RFC 6750.
const isChallenge = ({ headers }: Received): boolean =>
  headers.has('WWW-Authenticate') || headers.has('x-amzn-Remapped-WWW-Authenticate')

/** Deletes what a failed run has created: its creation, repeated with its key, returns it. */
const removeItem = async (
  plan: Plan,
  name: string,
  creation: Sent & { body: object },
): Promise<void> => {
  if (!smoke.remove) return console.info(`"${name}" may stay: nothing deletes it.`)
  const api = { ...plan, signal: new AbortController().signal } // That of the run may have aborted.
  const { json } = await send(api, creation)
  const id = idOf(json, creation.body)
  if (id !== undefined) {
    const { status } = await send(api, { method: 'DELETE', path: pathOf(smoke.remove, id) })
    if (status === 204 || status === 404) return console.info(`"${name}" is deleted.`)
  }
  console.info(`"${name}" may be left. To delete it: ${deletionOf(plan, id ?? '<id>')}`)
}

const deletionOf = ({ baseUrl }: Plan, id: unknown): string =>
  `curl -X DELETE --oauth2-bearer "$KEY" ${baseUrl}${smoke.remove && pathOf(smoke.remove, id)}`

/** The id in a response, if it has all fields that are wanted. Otherwise it may be another's id. */
const idOf = (json: { id?: unknown } | undefined, wanted: object): number | undefined => {
  const isWanted = isDeepStrictEqual(json, { ...json, ...wanted })
  return isWanted && typeof json?.id === 'number' ? json.id : undefined
}

/** Prints a line if nobody gets the alarms of a stage in use. */
export const noteAlarms = async (name: string): Promise<void> => {
  if (name === 'local' || name === 'staging') return
  const { stages } = await import('../stages.ts') // Late, because it loads CDK.
  const stage = Object.values<Stage>(stages).find((each) => each.name === name)
  if (!stage?.alarmEmail)
    console.info(`Nobody gets the alarms of ${name}. Set alarmEmail in infra/stages.ts.`)
}

if (import.meta.main) await run(command)
