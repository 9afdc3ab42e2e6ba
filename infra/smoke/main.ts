import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { contract } from '../../shared/contract.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'
import { MAX_LIMIT } from '../../shared/model/paging.ts'
import { CommandError, duration, run } from '../command-line.ts'
import { deploymentCommand, findDeployment } from '../deployment.ts'
import { KeyTable, newKey } from '../keys/key-table.ts'

const DESCRIPTION = `Tests a deployment: creates, lists, changes and deletes a pet, and checks error responses.
Issues an API key for itself and revokes it. Stops at the first wrong response, with the exit code 1.`

const command = deploymentCommand('npm run smoke --', DESCRIPTION)
  .option('--base-url <address>', 'call the API at another address, such as a new domain')
  .option('--wait <duration>', 'how long to wait for the API, and for lists to show the new pet', duration, 30)
  .action(async ({ baseUrl, wait: waitSeconds, ...target }) => {
    const stop = new AbortController()
    // A canceled pipeline, or a reader such as `head` that closes the output, must leave neither the pet nor the key. The
    // listeners stay, because npm sends Ctrl-C twice.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => stop.abort(new CommandError('Stopped.')))
    process.stdout.on('error', ({ message }) => stop.abort(new CommandError(`Cannot print: ${message}.`)))
    const deployment = await findDeployment(target)
    const address = (baseUrl ?? deployment.baseUrl).replace(/\/$/, '')
    const table = new KeyTable(deployment)
    const { text: key, stored } = newKey(deployment.keyPrefix, { name: 'smoke test', expiresIn: 600 })
    const unknownKey = newApiKey(deployment.keyPrefix)
    try {
      await table.put(stored)
      console.info(`Testing ${address} with the key ${stored.keyId}`)
      await smokeTest({ send: sendTo(address), key, unknownKey, waitSeconds, stopped: stop.signal })
    } finally {
      await table.remove(stored.digest)
      console.info(`The key ${stored.keyId} is revoked.`)
    }
  })

/** A request. `path` is relative to the base address; `how` is printed behind it, such as `without a key`. */
export type Sent = { method: string; path: string; headers?: Record<string, string>; body?: object; how?: string }

/** A response. `body` is its JSON value with exact integers, or its text if it is not JSON. */
export type Received = { status: number; headers: Headers; body: unknown }

type Send = (sent: Sent, stopped?: AbortSignal) => Promise<Received>

type Plan = { send: Send; key: string; unknownKey: string; waitSeconds: number; stopped: AbortSignal }

/**
 * Tests the API that `send` reaches, and prints a line for each request. Throws a CommandError at the first wrong
 * response, and the reason of `stopped`. Once the pet is created, it is deleted in any case.
 */
export const smokeTest = async ({ send, key, unknownKey, waitSeconds, stopped }: Plan): Promise<void> => {
  const check = checkWith(send, stopped)
  const headers = bearer(key)
  // A new deployment may take some seconds to respond.
  const list = { method: 'GET', path: `${PETS}?limit=1`, headers }
  await check(200, list, ({ body }) => Array.isArray(body), waitSeconds)

  // `sold`, so that no shop offers it. The largest int64 shows whether integers stay exact.
  const wanted = { name: `Smoke test of ${new Date().toISOString()}`, categoryId: 2n ** 63n - 1n, status: 'sold' }
  const create = { method: 'POST', path: PETS, headers: { ...headers, 'Idempotency-Key': randomUUID() }, body: wanted }
  // A signal stops neither the creation, whose response has the id of the pet, nor the deletion.
  const checkAnyway = checkWith(send)
  const isWanted: Fits = ({ body }) => isDeepStrictEqual(body, { ...wanted, id: Object(body).id })
  const created = await checkAnyway(201, { ...create, how: `with "${wanted.name}"` }, isWanted)
  const pet = { ...wanted, id: Object(created.body).id }
  const path = `${PETS}/${pet.id}`
  const change = { method: 'PATCH', path, headers, body: { status: 'pending' } }
  try {
    const isReplay: Fits = ({ headers, body }) =>
      headers.has('Idempotent-Replayed') && !!headers.get('Location')?.endsWith(path) && isDeepStrictEqual(body, pet)
    await check(201, { ...create, how: 'again, with the same Idempotency-Key' }, isReplay)

    const sold = { method: 'GET', path: `${PETS}?status=sold&limit=${MAX_LIMIT}`, headers, how: 'for the new pet' }
    const isListed: Fits = ({ body }) => Array.isArray(body) && body.some((each) => isDeepStrictEqual(each, pet))
    // The index of a list follows the table with a delay.
    await check(200, sold, isListed, waitSeconds)

    await check(200, change, ({ body }) => isDeepStrictEqual(body, { ...pet, status: 'pending' }))
    const outdated = { ...headers, 'If-Match': created.headers.get('ETag') ?? '' }
    await check(412, { ...change, headers: outdated, how: 'with the ETag of the creation' }, isError)
  } finally {
    await checkAnyway(204, { method: 'DELETE', path, headers })
  }
  await check(404, { ...change, how: 'after that' }, isError)

  // Errors of the functions and of API Gateway itself have the same body.
  for (const { method, path } of Object.values(contract))
    await check(401, { method, path: path.replaceAll(/{\w+}/g, '1'), how: 'without a key' }, isChallenge)
  await check(401, { ...list, headers: bearer(unknownKey), how: 'with an unknown key' }, isChallenge)
  await check(400, { method: 'POST', path: PETS, headers, body: { name: '' }, how: 'with an invalid body' }, isError)
  await check(404, { method: 'GET', path: '/smoke-test', headers }, isError)
  await check(404, { method: 'GET', path: `${PETS}/1/smoke-test`, headers }, isError)
  const isRefusal: Fits = (received) => isError(received) && received.headers.has('Allow')
  await check(405, { method: 'PUT', path: PETS, headers }, isRefusal)
}

const PETS = contract.createPet.path

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

type Fits = (received: Received) => boolean

const isError: Fits = ({ status, body }) => {
  const code = STATUS_CODES[status]?.toLowerCase().replaceAll(' ', '_')
  const { message } = Object(body)
  return typeof message === 'string' && message !== '' && isDeepStrictEqual(body, { code, message, status })
}

// API Gateway renames the header of RFC 6750.
const CHALLENGE = ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate']
const isChallenge: Fits = (received) => isError(received) && CHALLENGE.some((name) => received.headers.has(name))

/** Returns a function that repeats a request for `waitSeconds`, or until its response is right, and prints a line. */
const checkWith =
  (send: Send, stopped?: AbortSignal) =>
  async (status: number, sent: Sent, fits: Fits = () => true, waitSeconds = 0): Promise<Received> => {
    const what = `${sent.method} ${sent.path} ${sent.how ?? ''}`.trimEnd()
    const end = Date.now() + 1000 * waitSeconds
    for (;;) {
      const received = await send(sent, stopped).catch(noResponse)
      stopped?.throwIfAborted()
      if (received.status === status && fits(received)) {
        console.info(`✓ ${what}: ${status}`)
        return received
      }
      if (Date.now() >= end) {
        console.info(`✗ ${what}: expected ${status}, got ${described(received)}`)
        throw new CommandError('The smoke test failed.')
      }
      await pause(500)
    }
  }

// `fetch` puts the reason into the cause of its error.
const noResponse = (error: unknown): Received => {
  return { status: 0, headers: new Headers(), body: String(Object(error).cause ?? error) }
}

const described = ({ status, headers, body }: Received): string => {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`)
  return `${status || 'no response'}: ${stringifyJson(body).slice(0, 500)} (${lines.join('; ')})`
}

/** Returns a function that sends requests to the API at a base address. */
export const sendTo =
  (baseUrl: string): Send =>
  async ({ method, path, headers, body }, stopped) => {
    const timeout = AbortSignal.timeout(30_000) // API Gateway gives up after 29 s.
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      body: body ? stringifyJson(body) : null,
      redirect: 'manual',
      signal: AbortSignal.any(stopped ? [stopped, timeout] : [timeout]),
    })
    return { status: response.status, headers: response.headers, body: parse(await response.text()) }
  }

const parse = (text: string): unknown => {
  try {
    return exactJson(text, JSON.parse(text))
  } catch {
    return text
  }
}

if (import.meta.main) await run(command)
