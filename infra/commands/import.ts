import { hash, randomUUID } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { entries } from '../../shared/contract.ts'
import { CommandError, printable, runCommand, stopSignal, typedPath } from '../command-line.ts'
import { ApiClient, hasStatus } from './api-client.ts'
import { withCommandKey } from './api-keys.ts'
import { type Deployment, deploymentCommand, findDeployment } from './deployment.ts'
import { type PetFile, type PetRow, readPets } from './pet-rows.ts'
import { grouped, Progress } from './progress.ts'

const DESCRIPTION = `\
Adds the pets of a file through the API: a .csv file whose first row names the fields, or a .jsonl
file, as npm run export writes them, in UTF-8. The pets get new ids. Orders cannot be imported. To
check a file, import it into a local server first, with --stage local.

Stop it and run it again within 23 hours, also with corrected or more rows: it adds only what was
not added. A file beside (.started) says when it began. After 23 hours, or to add all rows again,
remove that file. A copy or a hard link is another file: its rows are added again.`

const importCommand = deploymentCommand('npm run import --', DESCRIPTION)
  .argument('<file>', 'a .csv or .jsonl file', typedPath)
  .action(async (file, target) => {
    const signal = stopSignal()
    await importPets(file, await findDeployment(target), signal)
  })

/** Requests in flight. */
const AT_ONCE = 16

/**
 * Adds the pets of a file, and prints what became of them. Throws a CommandError if the file cannot
 * be read, before anything is sent, or if some are refused; and the reason of the signal.
 */
export const importPets = async (
  file: string,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<void> => {
  const pets = await readPets(file)
  // All imports are one client, because an idempotency record belongs to a client.
  const owner = { clientId: 'import', scopes: [entries.createPet.scope] }
  await withCommandKey(deployment, owner, async (key) => {
    const mark = openMark(`${pets.path}.${deployment.name}.started`)
    const apiKey = async () => {
      mark.assertValid()
      return key()
    }
    const progress = new Progress('pets', pets.count)
    const api = new ApiClient({ ...deployment, apiKey, signal, progress })
    const adder = new PetAdder(api, mark.id, pets)
    const add = async (row: PetRow) => {
      signal.throwIfAborted()
      await adder.add(row)
      progress.done++
    }
    const all = Readable.from(pets.rows()).forEach(add, { concurrency: AT_ONCE })
    await all.finally(() => progress.stop())
    adder.report()
  })
}

/** Adds pets, each with a key that is made of the import, the pet, and how many equal ones came. */
class PetAdder {
  readonly #api: ApiClient
  readonly #importId: string
  readonly #mayRepeat: PetFile['mayRepeat']
  readonly #equal = new Map<string, number>()
  readonly #counts = { added: 0, replayed: 0, refused: 0 }

  constructor(api: ApiClient, importId: string, { mayRepeat }: PetFile) {
    this.#api = api
    this.#importId = importId
    this.#mayRepeat = mayRepeat
  }

  /** Adds a pet, unless an earlier request has. Prints why it is refused. */
  async add({ number, body, problem }: PetRow): Promise<void> {
    const refusal = problem ?? (await this.#send(body))
    if (refusal === undefined) return
    this.#counts.refused++
    console.info(printable(`Row ${number}: ${refusal}`))
  }

  async #send(body: string): Promise<string | undefined> {
    const digest = hash('sha256', this.#importId + body, 'base64url')
    const before = this.#equal.get(digest) ?? 0
    if (this.#mayRepeat(body)) this.#equal.set(digest, before + 1)
    const { method, path } = entries.createPet
    const headers = { 'Idempotency-Key': `import-${digest}-${before}` }
    const request = { method, path, headers, body }
    const response = await this.#api.send(request, hasStatus(201, 400, 413, 422))
    if (response.status !== 201) return `${Object(response.json).message}`
    // A replay adds nothing.
    this.#counts[response.headers.has('Idempotent-Replayed') ? 'replayed' : 'added']++
    return undefined
  }

  /** Prints what became of all. Throws a CommandError if some are refused. */
  report(): void {
    const { added, replayed, refused } = this.#counts
    const earlier = replayed > 0 ? `, ${grouped(replayed)} added by earlier requests` : ''
    console.info(`${grouped(added)} added${earlier}, ${grouped(refused)} refused.`)
    if (refused > 0)
      throw new CommandError('Correct the refused rows in the file, and run this again.')
  }
}

/** An Idempotency-Key is valid for 24 hours. A request may take a while to arrive. */
const VALID_MS = 23 * 3_600_000

/**
 * Reads the mark beside a file, or makes it: when the first import of the file began, and a random
 * id. `assertValid` throws a CommandError if that was more than 23 hours ago.
 */
const openMark = (path: string): { id: string; assertValid: () => void } => {
  if (!existsSync(path)) makeMark(path)
  const id = readFileSync(path, 'utf8')
  const began = Date.parse(id.split(' ')[0] ?? '')
  const assertValid = () => {
    const age = Date.now() - began
    if (age >= 0 && age < VALID_MS) return
    throw new CommandError(
      'The import of this file did not begin within the last 23 hours, so pets could be added ' +
        'twice. Export the pets, and leave only missing ones in the file. ' +
        `Then remove ${path}, and run this again.`,
    )
  }
  assertValid()
  return { id, assertValid }
}

/** Makes a mark at once and whole, because another import of the file may begin now, too. */
const makeMark = (path: string): void => {
  const id = randomUUID()
  const draft = `${path}.${id}`
  writeFileSync(draft, `${new Date().toISOString()} ${id}\n`)
  try {
    linkSync(draft, path)
  } catch (error) {
    if (Object(error).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

if (import.meta.main) await runCommand(importCommand)
