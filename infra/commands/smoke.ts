import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { contract, type OperationId } from '../../shared/contract.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { MAX_LIMIT } from '../../shared/model/paging.ts'
import { smoke } from '../../shared/resources.ts'
import { duration, run, stopSignal } from '../command-line.ts'
import { type Stage, stages } from '../stages.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { KeyTable, newKey } from './key-table.ts'
import { type Api, check, type Received, type Sent, send } from './smoke-checks.ts'

const { body: bodyOf, filter, change, refused } = smoke
const { path: PATH } = contract[smoke.create]
const FIRST = { method: 'GET', path: `${contract[smoke.list].path}?limit=1` }

const DESCRIPTION = `Tests a deployment: creates, lists, changes and deletes what \`smoke\` in shared/resources.ts says, and checks
error responses. Issues an API key for itself and revokes it. Stops at the first wrong response, with the exit code 1.
The output says what is left.`

const address = (text: string): string => {
  if (/^https?:\/\/[^/]/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new InvalidArgumentError('Use the address of an API, such as https://api.example.com/v1.')
}

const command = deploymentCommand('npm run smoke --', DESCRIPTION)
  .option('--base-url <address>', 'call the API at another address, such as a new domain', address)
  .addOption(
    new Option('--wait <duration>', 'how long to wait for the API, and for lists to follow')
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
      noteAlarms(target.stage)
    } finally {
      await table.remove(stored.digest)
      console.info(`The key ${stored.keyId} is revoked.`)
    }
  })

/** The API to test, a key that it does not know, and how long to wait for it. */
type Plan = Api & { unknownKey: string; waitSeconds: number }

/**
 * Tests an API. Throws a CommandError at the first wrong response, and the reason of `signal`, but
 * first tries to delete what it has created. Prints what stays, and how to delete it.
 */
export const smokeTest = async (plan: Plan): Promise<void> => {
  // A new deployment may take some seconds to respond.
  await check(plan, 200, FIRST, { waitSeconds: plan.waitSeconds })
  const runId = randomUUID()
  const name = `Smoke test ${runId}`
  const headers = { 'Idempotency-Key': runId }
  const creation = { method: 'POST', path: PATH, headers, body: bodyOf(name) }
  try {
    await testItem(plan, name, creation)
  } catch (error) {
    await removeItem(plan, name, creation)
    throw error
  }
  await testErrors(plan)
}

type Creation = Sent & { body: object }

const testItem = async (plan: Plan, name: string, creation: Creation): Promise<void> => {
  const isWanted = ({ json }: Received) => idOf(json, creation.body) !== undefined
  const created = await check(plan, 201, creation, { how: `with "${name}"`, fits: isWanted })
  const id = idOf(created.json, creation.body) ?? 0
  const { remove } = smoke
  if (remove) console.info(`If this is killed, delete "${name}": ${deletionOf(plan, remove, id)}`)

  const isReplay = ({ text, headers }: Received) =>
    text === created.text &&
    headers.has('Idempotent-Replayed') &&
    `${headers.get('Location')}`.endsWith(`${PATH}/${id}`)
  const how = 'again, with the same Idempotency-Key'
  await check(plan, 201, creation, { how, fits: isReplay })

  const isListed = ({ json }: Received) =>
    Array.isArray(json) && json.some((each) => isDeepStrictEqual(each, created.json))
  const query = new URLSearchParams({ limit: `${MAX_LIMIT}`, ...filter })
  const list = { ...FIRST, path: FIRST.path.replace('limit=1', `${query}`) }
  // The index of a list follows the table with a delay.
  const { waitSeconds } = plan
  await check(plan, 200, list, { how: 'for the new item', fits: isListed, waitSeconds })

  if (change) {
    const request = requestOf(change.operation, id, change.body)
    await check(plan, 200, request, { fits: ({ json }) => idOf(json, change.body) === id })
    const headers = { 'If-Match': `${created.headers.get('ETag')}` }
    await check(plan, 412, { ...request, headers }, { how: 'with the ETag of the creation' })
  }
  if (refused) await check(plan, 409, requestOf(refused.operation, id, refused.body(id)))
  if (!remove) return console.info(`"${name}" stays: nothing deletes it.`)
  await check(plan, 204, requestOf(remove, id))
  await check(plan, 404, requestOf(remove, id), { how: 'after that' })
}

const requestOf = (operation: OperationId, id: unknown, body?: object): Sent => {
  const { method, path } = contract[operation]
  return { method, path: path.replace(/{\w+}/, `${id}`), ...(body && { body }) }
}

const testErrors = async (plan: Plan): Promise<void> => {
  // Errors of the functions and of API Gateway itself have the same body.
  for (const { method, path } of Object.values(contract)) {
    const request = { method, path: path.replaceAll(/{\w+}/g, '1'), key: '' }
    await check(plan, 401, request, { how: 'without a key', fits: isChallenge })
  }
  const stranger = { ...FIRST, key: plan.unknownKey }
  await check(plan, 401, stranger, { how: 'with an unknown key', fits: isChallenge })
  await check(plan, 400, { method: 'POST', path: PATH, body: [] }, { how: 'with an invalid body' })
  await check(plan, 404, { method: 'GET', path: '/smoke-test' })
  await check(plan, 404, { method: 'GET', path: `${PATH}/1/smoke-test` })
  const namesMethods = ({ headers }: Received) => headers.has('Allow')
  await check(plan, 405, { method: 'PUT', path: PATH }, { fits: namesMethods })
}

// API Gateway renames the header of RFC 6750.
const isChallenge = ({ headers }: Received): boolean =>
  headers.has('WWW-Authenticate') || headers.has('x-amzn-Remapped-WWW-Authenticate')

/** Deletes what a failed run has created: its creation, repeated with its key, returns it. */
const removeItem = async (plan: Plan, name: string, creation: Creation): Promise<void> => {
  const { remove } = smoke
  if (!remove) return console.info(`"${name}" may stay: nothing deletes it.`)
  const api = { ...plan, signal: new AbortController().signal } // That of the run may have aborted.
  const { json } = await send(api, creation)
  const id = idOf(json, creation.body)
  if (id !== undefined) {
    const { status } = await send(api, requestOf(remove, id))
    if (status === 204 || status === 404) return console.info(`"${name}" is deleted.`)
  }
  console.info(`"${name}" may be left. To delete it: ${deletionOf(plan, remove, id ?? '<id>')}`)
}

const deletionOf = ({ baseUrl }: Plan, remove: OperationId, id: unknown): string =>
  `curl -X DELETE --oauth2-bearer "$KEY" ${baseUrl}${requestOf(remove, id).path}`

/** The id in a response, if it has all fields that are wanted. Otherwise it may be another's id. */
const idOf = (json: { id?: unknown } | undefined, wanted: object): number | undefined => {
  const isWanted = isDeepStrictEqual(json, { ...json, ...wanted })
  return isWanted && typeof json?.id === 'number' ? json.id : undefined
}

/** Prints a line if nobody gets the alarms of a stage in use. */
export const noteAlarms = (name: keyof typeof stages | 'local'): void => {
  if (name === 'local' || name === 'staging') return
  const { alarmEmail }: Stage = stages[name]
  if (!alarmEmail)
    console.info(`Nobody gets the alarms of ${name}. Set alarmEmail in infra/stages.ts.`)
}

if (import.meta.main) await run(command)
