import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { contract } from '../../shared/contract.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { MAX_LIMIT } from '../../shared/model/paging.ts'
import { type CallOptions, type Client, type ConditionalOptions, etagOf } from '../client/client.ts'
import { type Api, checksOf, type Exchange } from './checks.ts'
import { CommandError, duration, run } from './command-line.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { KeyTable, newKey } from './key-table.ts'

// What the test creates, changes and filters by. `sold`, so that no shop offers it. The largest int64 shows whether integers
// stay exact.
const { path: PATH } = contract.createPet
const wanted = {
  name: `Smoke test of ${new Date().toISOString()}`,
  categoryId: 2n ** 63n - 1n,
  status: 'sold',
} as const
const changed = { status: 'available' } as const
const filter = { status: 'sold', limit: MAX_LIMIT } as const
const invalid = { name: '' }

/** The operations that the test uses. It skips the experimental ones if the contract lacks them. */
type Operations = Pick<Client, 'listPets' | 'createPet'> & {
  updatePet?: (input: typeof changed & { petId: number }, options: CallOptions & ConditionalOptions) => Promise<object>
  deletePet?: (input: { petId: number }, options: CallOptions) => Promise<unknown>
  placeOrder?: (input: { petId: number }) => Promise<{ id: number }>
  cancelOrder?: (input: { orderId: number }) => Promise<unknown>
}

const DESCRIPTION = `Tests a deployment: creates, lists, changes, orders and deletes a pet, and checks error responses.
Issues an API key for itself and revokes it. Stops at the first wrong response, with the exit code 1.`

const address = (text: string): string => {
  if (/^https?:\/\/[^/]/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new InvalidArgumentError('Use the address of an API, such as https://api.example.com/v1.')
}

const command = deploymentCommand('npm run smoke --', DESCRIPTION)
  .option('--base-url <address>', 'call the API at another address, such as a new domain', address)
  .addOption(
    new Option('--wait <duration>', 'how long to wait for the API, and for lists to show the new pet')
      .argParser(duration)
      .default(30, '30s'),
  )
  .action(async ({ baseUrl, wait: waitSeconds, ...target }) => {
    const stop = new AbortController()
    // A canceled pipeline, or a reader such as `head` that closes the output, must leave neither the pet nor the key. The
    // listeners stay, because npm sends Ctrl-C twice.
    const stopped = () => stop.abort(new CommandError('Stopped.'))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stopped)
    process.stdout.on('error', stopped)
    const deployment = await findDeployment(target)
    const table = new KeyTable(deployment)
    const { text: apiKey, stored } = newKey(deployment.keyPrefix, { name: 'smoke test', expiresIn: 600 })
    const api = { baseUrl: baseUrl ?? deployment.baseUrl, apiKey, unknownKey: newApiKey(deployment.keyPrefix) }
    try {
      await table.put(stored)
      console.info(`Testing ${api.baseUrl} with the key ${stored.keyId}`)
      await smokeTest({ ...api, waitSeconds, signal: stop.signal })
    } finally {
      await table.remove(stored.digest)
      console.info(`The key ${stored.keyId} is revoked.`)
    }
  })

/** The API to test, and how long to wait for it. */
type Plan = Api & { unknownKey: string; waitSeconds: number }

/**
 * Tests an API, and prints a line for each request. Throws a CommandError at the first wrong response, and the reason of
 * `signal`. Once the pet is created, it is deleted in any case.
 */
export const smokeTest = async (plan: Plan): Promise<void> => {
  const { apiKey, unknownKey, waitSeconds, signal } = plan
  const { client, send, check } = checksOf(plan)
  const { listPets, createPet, updatePet, deletePet, placeOrder, cancelOrder }: Operations = client
  // A new deployment may take some seconds to respond.
  await check(200, '', () => listPets({ limit: 1 }, { signal }).toArray({ max: 1 }), undefined, { waitSeconds })

  // Without `deletePet`, a pet would be left behind.
  if (deletePet) {
    const idempotencyKey = randomUUID()
    const isWanted = (pet: { id: number }) => isDeepStrictEqual(pet, { ...wanted, id: pet.id })
    // A signal stops neither the creation, whose response has the id of the pet, nor the deletion.
    const create = () => createPet(wanted, { idempotencyKey })
    const pet = await check(201, `with "${wanted.name}"`, create, isWanted, { isAlways: true })
    const { id: petId } = pet
    try {
      const again = () => createPet(wanted, { idempotencyKey, signal })
      await check(201, 'again, with the same Idempotency-Key', again, (replayed, { headers }) => {
        const isItsAddress = headers.get('Location')?.endsWith(`${PATH}/${petId}`) === true
        return isItsAddress && headers.has('Idempotent-Replayed') && isDeepStrictEqual(replayed, pet)
      })
      // The index of a list follows the table with a delay.
      const list = () => listPets(filter, { signal }).toArray({ max: filter.limit })
      const isListed = (pets: object[]) => pets.some((each) => isDeepStrictEqual(each, pet))
      await check(200, 'for the new pet', list, isListed, { waitSeconds })
      if (updatePet) {
        const change = (options = {}) => updatePet({ petId, ...changed }, { signal, ...options })
        await check(200, '', change, (result) => isDeepStrictEqual(result, { ...pet, ...changed }))
        await check(412, 'with the ETag of the creation', () => change({ ifMatch: etagOf(pet) }))
        if (placeOrder && cancelOrder) {
          const order = () => placeOrder({ petId })
          // A pet with an open order could not be deleted, so a signal stops neither of these.
          const { id: orderId } = await check(201, 'for the pet', order, undefined, { isAlways: true })
          await check(204, '', () => cancelOrder({ orderId }), undefined, { isAlways: true })
        }
      }
    } finally {
      await check(204, '', () => deletePet({ petId }, {}), undefined, { isAlways: true })
    }
    await check(404, 'after that', () => deletePet({ petId }, { signal }))
  }

  // Errors of the functions and of API Gateway itself have the same body.
  for (const { method, path } of Object.values(contract))
    await check(401, 'without a key', () => send(method, path.replaceAll(/{\w+}/g, '1')), isChallenge)
  await check(401, 'with an unknown key', () => send('GET', `${PATH}?limit=1`, unknownKey), isChallenge)
  await check(400, 'with an invalid body', () => send('POST', PATH, apiKey, invalid))
  await check(404, '', () => send('GET', '/smoke-test', apiKey))
  await check(404, '', () => send('GET', `${PATH}/1/smoke-test`, apiKey))
  const isRefusal = (_: unknown, { headers }: Exchange) => headers.has('Allow')
  await check(405, '', () => send('PUT', PATH, apiKey), isRefusal)
}

// API Gateway renames the header of RFC 6750.
const CHALLENGE = ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate']
const isChallenge = (_: unknown, { headers }: Exchange): boolean => CHALLENGE.some((name) => headers.has(name))

if (import.meta.main) await run(command)
