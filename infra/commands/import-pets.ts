import { createWriteStream, existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { entries } from '../../shared/contract.ts'
import { CommandError } from '../command-line.ts'
import { type ApiAccess, ApiClient } from './api-client.ts'
import type { ImportRecord } from './import-record.ts'
import { printable } from './key-report.ts'
import { type PetLine, petLines } from './pet-lines.ts'
import { grouped, type Progress } from './progress.ts'

/** What to import: a file with so many lines of pets, of which some may be recorded. */
type Plan = {
  file: string
  digest: string
  lines: number
  record: ImportRecord
  inFlight: number
  isResend: boolean
  progress: Progress
}

/**
 * Adds the pets that are not recorded as added, and prints what became of all. Throws a
 * CommandError if a line was refused, or may not have been added.
 */
export const importPets = async (plan: Plan, access: ApiAccess): Promise<void> => {
  const { file, record, inFlight, progress } = plan
  const failed = new AbortController()
  const signal = AbortSignal.any([access.signal, failed.signal])
  const api = new ApiClient({ ...access, signal })
  await assertNewest(api, record)
  const before = record.refused
  const unknown: PetLine[] = []
  const pets = petLines(file)
  const work = async () => {
    for await (const pet of pets) {
      signal.throwIfAborted()
      if ((await addPet(pet, plan, api)) === 'unknown') unknown.push(pet)
    }
  }
  const workers = Array.from({ length: inFlight }, () => work().catch((e) => failed.abort(e)))
  await Promise.all(workers)
  progress.stop()
  failed.signal.throwIfAborted()
  if (record.refused > before || !existsSync(refusedFile(file))) await writeRefused(plan)
  report(plan, unknown)
}

/** Throws a CommandError if the last pet that was added is not in the database. */
const assertNewest = async (api: ApiClient, { newestId, path }: ImportRecord): Promise<void> => {
  if (newestId === undefined) return
  // No pet has this revision, so nothing changes: 412. A key for writes may not read the pet.
  const response = await api.send({
    method: 'PATCH',
    path: `${entries.createPet.path}/${newestId}`,
    headers: { 'If-Match': '"none"' },
    body: '{"name":"-"}',
    success: 200,
    refusals: [404, 412],
  })
  if (response?.status === 404)
    throw new CommandError(
      `The pet ${newestId} is not there, which was imported last: it was deleted, or this is a ` +
        `new database. To import all lines again, remove ${path}.`,
    )
}

/** An Idempotency-Key is valid for 24 hours. A request may take a while to arrive. */
const RETRY_MS = 23 * 3_600_000

/** Adds a pet, unless that is settled. After 23 hours without a response, its fate is unknown. */
const addPet = async (pet: PetLine, plan: Plan, api: ApiClient): Promise<'settled' | 'unknown'> => {
  const { record, digest, isResend, progress } = plan
  const { number, body, problem } = pet
  const state = record.stateOf(number)
  if (state.kind === 'added' || state.kind === 'refused') return 'settled'
  if (problem) {
    record.settle(number, { refused: problem })
    return 'settled'
  }
  const isOld = state.kind === 'sent' && Date.now() - state.at >= RETRY_MS
  if (isOld && !isResend) return 'unknown'
  const sentAt = state.kind === 'sent' && !isOld ? state.at : record.send(number)
  const response = await api.send({
    method: 'POST',
    path: entries.createPet.path,
    headers: { 'Idempotency-Key': `import-${digest}-${number}` },
    body,
    success: 201,
    refusals: [400, 413, 422],
    retryUntil: sentAt + RETRY_MS,
  })
  if (!response) return 'unknown'
  const { id, message } = Object(response.json)
  record.settle(number, response.status === 201 ? { id } : { refused: message })
  progress.add()
  return 'settled'
}

const refusedFile = (file: string): string => `${file}.refused${extname(file)}`

/** Writes all refused lines or none: somebody may mend the file, and import it. */
const writeRefused = async ({ file, record }: Plan): Promise<void> => {
  if (record.refused === 0) return
  async function* refused() {
    let isFirst = true
    for await (const { number, header, text } of petLines(file)) {
      if (record.stateOf(number).kind !== 'refused') continue
      const end = header === undefined ? '\n' : '\r\n'
      if (isFirst && header !== undefined) yield header + end
      isFirst = false
      yield text + end
    }
  }
  const part = `${refusedFile(file)}.part`
  await pipeline(refused, createWriteStream(part))
  await rename(part, refusedFile(file))
}

const report = ({ file, lines, record }: Plan, unknown: PetLine[]): void => {
  const { added, refused } = record
  const first = record.firstRefusals.toSorted((a, b) => a.line - b.line)
  for (const { line, reason } of first) console.info(printable(`Line ${line}: ${reason}`))
  for (const { number, text } of unknown.slice(0, 10))
    console.info(printable(`Line ${number} may have been added. Look for ${text.slice(0, 200)}`))
  const counts = [`${grouped(added)} added`, `${grouped(refused)} refused`]
  if (unknown.length > 0) counts.push(`${grouped(unknown.length)} unknown`)
  console.info(`Of ${grouped(lines)} pets: ${counts.join(', ')}.`)
  const problems = [
    refused > 0 &&
      `The refused lines are in ${refusedFile(file)}. Mend them there, and import that file.`,
    unknown.length > 0 &&
      'Look for the unknown lines. --resend sends them again: it adds them twice if they are there.',
  ].filter((problem) => problem !== false)
  if (problems.length > 0) throw new CommandError(problems.join(' '))
}
