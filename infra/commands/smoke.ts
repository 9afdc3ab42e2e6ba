import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { contract } from '../../shared/contract.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { MAX_LIMIT } from '../../shared/model/paging.ts'
import { type CallOptions, type Client, type ConditionalOptions, etagOf, type KeyedOptions } from '../client/client.ts'
import { CommandError, duration, run } from '../command-line.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { KeyTable, newKey } from './key-table.ts'
import { type Api, checksOf, type Exchange } from './smoke-checks.ts'

// What a run of the test creates, changes and filters by. `sold`, so that no shop offers it. The largest int64 shows whether
// integers stay exact.
const { path: PATH } = contract.createPet
const petOf = (runId: string) => ({ name: `Smoke test ${runId}`, categoryId: 2n ** 63n - 1n, status: 'sold' }) as const
const changed = { status: 'available' } as const
const filter = { status: 'sold', limit: MAX_LIMIT } as const
const invalid = { name: '' }

/** The operations that the test uses. It skips the experimental ones if the contract lacks them. */
type Operations = Pick<Client, 'listPets' | 'createPet'> & {
  updatePet?: (input: typeof changed & { petId: number }, options: CallOptions & ConditionalOptions) => Promise<object>
  deletePet?: (input: { petId: number }, options?: CallOptions) => Promise<unknown>
  placeOrder?: (input: { petId: number }, options: CallOptions & KeyedOptions) => Promise<{ id: number }>
  cancelOrder?: (input: { orderId: number }, options?: CallOptions) => Promise<unknown>
}

const DESCRIPTION = `Tests a deployment: creates, lists, changes, orders and deletes a pet, and checks error responses.
Issues an API key for itself and revokes it. Stops at the first wrong response, with the exit code 1.
If it is killed, its output says how to remove the pet.`

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
  .option('--remove <run>', 'test nothing: remove the pet of a run that was killed in the last 24 hours')
  .action(async ({ baseUrl, wait: waitSeconds, remove, ...target }) => {
    const stop = new AbortController()
    // A canceled pipeline, or a reader such as `head` that closes the output, must leave neither the pet nor the key. The
    // listeners stay, because npm sends Ctrl-C twice.
    const stopped = () => stop.abort(new CommandError('Stopped.'))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stopped)
    process.stdout.on('error', stopped)
    const deployment = await findDeployment(target)
    const table = new KeyTable(deployment)
    // The same client in each run, so that `--remove` can use the idempotency key of another run.
    const owner = { name: 'smoke test', clientId: 'smoke-test', expiresIn: 600 }
    const { text: apiKey, stored } = newKey(deployment.keyPrefix, owner)
    const api = { baseUrl: baseUrl ?? deployment.baseUrl, apiKey, unknownKey: newApiKey(deployment.keyPrefix) }
    const plan = { ...api, runId: remove ?? randomUUID(), waitSeconds, signal: stop.signal }
    try {
      await table.put(stored)
      if (remove !== undefined) return await removePet(plan)
      console.info(`Testing ${api.baseUrl} with the key ${stored.keyId}`)
      await smokeTest(plan)
    } finally {
      await table.remove(stored.digest)
      console.info(`The key ${stored.keyId} is revoked.`)
    }
  })

/** The API to test, a unique id of the run, and how long to wait for the API. */
type Plan = Api & { unknownKey: string; runId: string; waitSeconds: number }

/**
 * Tests an API, and prints a line for each request. Throws a CommandError at the first wrong response, and the reason of
 * `signal`, but first removes what it created. If that fails, it throws a CommandError that says so.
 */
export const smokeTest = async (plan: Plan): Promise<void> => {
  const { apiKey, unknownKey, runId, waitSeconds, signal } = plan
  const { client, send, check } = checksOf(plan)
  const { listPets, createPet, updatePet, deletePet, placeOrder, cancelOrder }: Operations = client
  // A new deployment may take some seconds to respond.
  await check(200, '', () => listPets({ limit: 1 }, { signal }).toArray({ max: 1 }), undefined, { waitSeconds })

  // Without `deletePet`, a pet would be left behind.
  if (deletePet) {
    const wanted = petOf(runId)
    const command = ['npm run smoke --', ...process.argv.slice(2), '--remove', runId].join(' ')
    console.info(`If this is killed, "${wanted.name}" may be left. Remove it within 24 hours: ${command}`)
    const once = { idempotencyKey: runId, signal }
    try {
      const create = () => createPet(wanted, once)
      const isWanted = (pet: { id: number }) => isDeepStrictEqual(pet, { ...wanted, id: pet.id })
      const pet = await check(201, `with "${wanted.name}"`, create, isWanted)
      const { id: petId } = pet
      await check(201, 'again, with the same Idempotency-Key', create, (replayed, { headers }) => {
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
          const { id: orderId } = await check(201, 'for the pet', () => placeOrder({ petId }, once))
          await check(204, '', () => cancelOrder({ orderId }, { signal }))
        }
      }
      await check(204, '', () => deletePet({ petId }, { signal }))
      await check(404, 'after that', () => deletePet({ petId }, { signal }))
    } catch (error) {
      await removePet(plan)
      throw error
    }
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

/**
 * Removes the pet of a run, and its order. A create that is repeated with the key of the run returns what it created in the
 * last 24 hours; otherwise it creates something, which is removed, too. Throws a CommandError if the pet may be left.
 */
const removePet = async (plan: Plan): Promise<void> => {
  const { createPet, deletePet, placeOrder, cancelOrder }: Operations = checksOf(plan).retrying
  if (!deletePet) return
  const wanted = petOf(plan.runId)
  const once = { idempotencyKey: plan.runId }
  const remove = async () => {
    const pet = await createPet(wanted, once)
    if (pet.name !== wanted.name) throw new Error('The API returned another one.')
    // If the order is left, the pet cannot be deleted. So errors of the order do not matter.
    const order = await placeOrder?.({ petId: pet.id }, once).catch(() => undefined)
    if (order) await cancelOrder?.({ orderId: order.id }).catch(() => {})
    await deletePet({ petId: pet.id }).catch((error) => {
      if (error.code !== 'not_found') throw error
    })
  }
  await remove().catch(({ message }) => {
    throw new CommandError(`"${wanted.name}" may be left: ${message} Try again with --remove ${plan.runId}.`)
  })
  console.info(`"${wanted.name}" is removed, if it was created in the last 24 hours.`)
}

// API Gateway renames the header of RFC 6750.
const CHALLENGE = ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate']
const isChallenge = (_: unknown, { headers }: Exchange): boolean => CHALLENGE.some((name) => headers.has(name))

if (import.meta.main) await run(command)
