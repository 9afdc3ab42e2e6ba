import { hash, randomUUID } from 'node:crypto'
import { linkSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { entries } from '../../shared/contract.ts'
import { CommandError, printable, runCommand, stopSignal, typedPath } from '../command-line.ts'
import { ApiClient, hasStatus } from './api-client.ts'
import { withCommandKey } from './api-keys.ts'
import { type Deployment, deploymentCommand, findDeployment } from './deployment.ts'
import { type PetRow, readPets } from './pet-rows.ts'
import { Progress } from './progress.ts'

const DESCRIPTION = `\
Adds the pets of a file through the API, with new ids: a .csv file whose first row names the fields,
or a .jsonl file, as npm run export writes them, in UTF-8. To check a file, import it into a local
server first, with --stage local.

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
  const path = realpathSync(file)
  const rows = readPets(path)
  const mark = openMark(`${path}.${deployment.name}.started`)
  const progress = new Progress(`of ${rows.length} pets`)
  // All imports are one client, because an idempotency record belongs to a client.
  await withCommandKey(deployment, 'import', [entries.createPet.scope], async (key) => {
    const apiKey = async () => {
      mark.assertValid()
      return key()
    }
    const api = new ApiClient({ ...deployment, apiKey, signal, progress })
    await addPets(rows, mark.id, api, progress)
  })
}

/** Adds pets. Throws a CommandError at the end if some are refused. */
const addPets = async (
  rows: PetRow[],
  importId: string,
  api: ApiClient,
  progress: Progress,
): Promise<void> => {
  const { method, path } = entries.createPet
  const nextKey = idempotencyKeys(importId)
  const counts = { added: 0, replayed: 0, refused: 0 }
  const refuse = (number: number, problem: unknown): void => {
    counts.refused++
    console.info(printable(`Row ${number}: ${problem}`))
  }
  const add = async ({ number, body, problem }: PetRow): Promise<void> => {
    progress.count()
    if (problem) return refuse(number, problem)
    const headers = { 'Idempotency-Key': nextKey(body) }
    const request = { method, path, headers, body }
    const response = await api.send(request, hasStatus(201, 400, 413, 422))
    if (response.status !== 201) return refuse(number, Object(response.json).message)
    // A replay adds nothing.
    counts[response.headers.has('Idempotent-Replayed') ? 'replayed' : 'added']++
  }
  await Readable.from(rows).forEach(add, { concurrency: AT_ONCE })
  const { added, replayed, refused } = counts
  console.info(`${added} added, ${replayed} added by earlier requests, ${refused} refused.`)
  if (refused > 0)
    throw new CommandError('Correct the refused rows in the file, and run this again.')
}

/** Keys that are made of the import, the pet, and how many equal ones came before. */
const idempotencyKeys = (importId: string) => {
  const equal = new Map<string, number>()
  return (body: string): string => {
    const before = equal.get(body) ?? 0
    equal.set(body, before + 1)
    return `import-${hash('sha256', importId + body, 'base64url')}-${before}`
  }
}

/** An Idempotency-Key is valid for 24 hours. A request may take a while to arrive. */
const VALID_MS = 23 * 3_600_000

/**
 * Reads the mark beside a file, or makes it: when the first import of the file began, and a random
 * id. `assertValid` throws a CommandError if that was more than 23 hours ago.
 */
const openMark = (path: string) => {
  makeMark(path)
  // Without what an editor changes after it. A mark that is cut is invalid.
  const [line = '', time = ''] = /^(\S+) [\da-f-]{36}/.exec(readFileSync(path, 'utf8')) ?? []
  const began = Date.parse(time)
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
  return { id: `${line}\n`, assertValid } // As written.
}

/** Makes a mark at once and whole, unless there is one: several imports may begin now. */
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
