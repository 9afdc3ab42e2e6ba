import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { contract } from '../../shared/contract.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { MAX_LIMIT } from '../../shared/model/paging.ts'
import type { Entry } from '../../shared/pipeline/entry.ts'
import { duration, run, stopSignal } from '../command-line.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { KeyTable, newKey } from './key-table.ts'
import { type Api, check, type Received, type Sent, send } from './smoke-checks.ts'

const PATH = contract.createPet.path

// A service may lack these operations. The test calls those that it has. Without `deletePet`, it
// creates no pet.
const { updatePet, deletePet, placeOrder }: Record<string, Entry> = contract

const DESCRIPTION = `Tests a deployment: creates, lists, changes and deletes a pet, and checks error responses.
Issues an API key for itself and revokes it. Stops at the first wrong response, with the exit code 1.
Nobody can order the pet, which is sold. If it is left, the output says how to delete it.`

const address = (text: string): string => {
  if (/^https?:\/\/[^/]/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new InvalidArgumentError('Use the address of an API, such as https://api.example.com/v1.')
}

const command = deploymentCommand('npm run smoke --', DESCRIPTION)
  .option('--base-url <address>', 'call the API at another address, such as a new domain', address)
  .addOption(
    new Option(
      '--wait <duration>',
      'how long to wait for the API, and for lists to show the new pet',
    )
      .argParser(duration)
      .default(30, '30s'),
  )
  .action(async ({ baseUrl, wait: waitSeconds, ...target }) => {
    // A canceled pipeline should leave neither the pet nor the key, which would expire within ten
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
    } finally {
      await table.remove(stored.digest)
      console.info(`The key ${stored.keyId} is revoked.`)
    }
  })

/** The API to test, a key that it does not know, and how long to wait for it. */
type Plan = Api & { unknownKey: string; waitSeconds: number }

/**
 * Tests an API, and prints a line for each request. Throws a CommandError at the first wrong
 * response, and the reason of `signal`, but first tries to delete what it has created. Prints how
 * to delete what may be left.
 */
export const smokeTest = async (plan: Plan): Promise<void> => {
  // A new deployment may take some seconds to respond.
  await check(
    plan,
    200,
    { method: 'GET', path: `${PATH}?limit=1` },
    { waitSeconds: plan.waitSeconds },
  )
  if (deletePet) await testPet(plan)
  await testErrors(plan)
}

const testPet = async (plan: Plan): Promise<void> => {
  const runId = randomUUID()
  // Nobody can order what is sold. The largest int64 shows whether integers stay exact.
  const wanted = { name: `Smoke test ${runId}`, categoryId: 2n ** 63n - 1n, status: 'sold' }
  const creation = {
    method: 'POST',
    path: PATH,
    headers: { 'Idempotency-Key': runId },
    body: wanted,
  }
  try {
    const isWanted = ({ json }: Received) => idOf(json, wanted) !== undefined
    const created = await check(plan, 201, creation, {
      how: `with "${wanted.name}"`,
      fits: isWanted,
    })
    const id = idOf(created.json, wanted)
    const path = `${PATH}/${id}`
    console.info(`If this is killed, delete "${wanted.name}": ${deletionOf(plan, path)}`)

    const isReplay = ({ text, headers }: Received) =>
      text === created.text &&
      headers.has('Idempotent-Replayed') &&
      `${headers.get('Location')}`.endsWith(path)
    await check(plan, 201, creation, {
      how: 'again, with the same Idempotency-Key',
      fits: isReplay,
    })

    const isListed = ({ json }: Received) =>
      Array.isArray(json) && json.some((each) => isDeepStrictEqual(each, created.json))
    const filter = new URLSearchParams({ limit: `${MAX_LIMIT}`, status: 'sold' })
    const list = { method: 'GET', path: `${PATH}?${filter}` }
    // The index of a list follows the table with a delay.
    await check(plan, 200, list, {
      how: 'for the new pet',
      fits: isListed,
      waitSeconds: plan.waitSeconds,
    })

    if (updatePet) await testChange(plan, path, created)
    if (placeOrder) {
      const order = { method: 'POST', path: placeOrder.path, body: { petId: id } }
      await check(plan, 409, order, { how: 'for the pet, which is sold' })
    }
    await check(plan, 204, { method: 'DELETE', path })
    await check(plan, 404, { method: 'DELETE', path }, { how: 'after that' })
  } catch (error) {
    await removePet(plan, creation)
    throw error
  }
}

const testChange = async (plan: Plan, path: string, { json, headers }: Received): Promise<void> => {
  const change = { method: 'PATCH', path, body: { name: 'Smoke test, changed' } }
  const changed = { ...json, ...change.body }
  await check(plan, 200, change, { fits: ({ json }) => isDeepStrictEqual(json, changed) })
  const outdated = { ...change, headers: { 'If-Match': `${headers.get('ETag')}` } }
  await check(plan, 412, outdated, { how: 'with the ETag of the creation' })
}

const testErrors = async (plan: Plan): Promise<void> => {
  // Errors of the functions and of API Gateway itself have the same body.
  for (const { method, path } of Object.values(contract)) {
    const request = { method, path: path.replaceAll(/{\w+}/g, '1'), key: '' }
    await check(plan, 401, request, { how: 'without a key', fits: isChallenge })
  }
  const list = { method: 'GET', path: `${PATH}?limit=1`, key: plan.unknownKey }
  await check(plan, 401, list, { how: 'with an unknown key', fits: isChallenge })
  await check(
    plan,
    400,
    { method: 'POST', path: PATH, body: { name: '' } },
    { how: 'with an invalid body' },
  )
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

/**
 * Deletes the pet of a run that failed: its creation, if it is repeated with its key, returns it.
 */
const removePet = async (
  plan: Plan,
  creation: Sent & { body: { name: string } },
): Promise<void> => {
  const api = { ...plan, signal: new AbortController().signal } // That of the run may have aborted.
  const { json } = await send(api, creation)
  const { name } = creation.body
  const id = idOf(json, creation.body)
  if (id !== undefined) {
    const { status } = await send(api, { method: 'DELETE', path: `${PATH}/${id}` })
    if (status === 204 || status === 404) return console.info(`"${name}" is deleted.`)
  }
  const path = `${PATH}/${id ?? '<id>'}`
  console.info(
    `"${name}" may be left, which nobody can order. To delete it: ${deletionOf(plan, path)}`,
  )
}

const deletionOf = ({ baseUrl }: Plan, path: string): string =>
  `curl -X DELETE --oauth2-bearer "$KEY" ${baseUrl}${path}`

/**
 * The id in a response, if it has all fields that are wanted. Otherwise it may be the id of another
 * pet.
 */
const idOf = (json: { id?: unknown } | undefined, wanted: object): number | undefined => {
  const isWanted = isDeepStrictEqual(json, { ...json, ...wanted })
  return isWanted && typeof json?.id === 'number' ? json.id : undefined
}

if (import.meta.main) await run(command)
