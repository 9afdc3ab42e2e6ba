import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { entries } from '../../shared/contract.ts'
import { CommandError, run, stopSignal, wholeNumber } from '../command-line.ts'
import { ApiClient } from './api-client.ts'
import { withCommandKey } from './command-key.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { cannotWrite, ImportRecord, REFUSED } from './import-record.ts'
import { printable } from './key-report.ts'
import { type PetLine, petLines, problemOf } from './pet-lines.ts'
import { grouped, Progress } from './progress.ts'

const DESCRIPTION = `\
Adds the pets of a file through the API: a .csv file whose first line names the fields, or a .jsonl
file, as npm run export -- pets writes them. The pets get new ids. Orders cannot be imported. Stop
it and run it again at any time: a file beside records what was sent, and no pet is added twice.`

const importCommand = deploymentCommand('npm run import --', DESCRIPTION)
  .argument('<file>', 'a .csv or .jsonl file')
  .option('--per-second <number>', 'how many requests to send at most', wholeNumber(1, 10_000), 200)
  .option('--in-flight <number>', 'how many responses to wait for at once', wholeNumber(1, 100), 16)
  .option('--check', 'send nothing, and fail if the API would refuse a line')
  .option('--resend', 'also send lines that may have been added more than 23 hours ago')
  .action(async (file, { perSecond, inFlight, check, resend = false, ...target }) => {
    const signal = stopSignal()
    const { digest, lines, last } = await readAll(file, signal, check)
    if (check) return
    const deployment = await findDeployment(target)
    const record = await ImportRecord.open(`${file}.${deployment.name}.jsonl`, digest, last)
    const progress = new Progress('pets', lines - record.added - record.refused)
    const plan = { file, record, inFlight, resend, signal, progress }
    // An idempotency record belongs to a client.
    const name = `import ${digest.slice(0, 16)}`
    const owner = { clientId: 'import', name, scopes: ['pets:write' as const] }
    try {
      await withCommandKey(deployment, owner, async (apiKey) => {
        const unknown = await addPets(plan, { ...deployment, apiKey, perSecond, progress })
        progress.stop()
        await report(file, lines, record, unknown)
      })
    } finally {
      progress.stop()
    }
  })

/**
 * Reads the whole file before anything is sent. Throws a CommandError if it cannot be read, or if a
 * check finds a line that the API would refuse.
 */
const readAll = async (file: string, signal: AbortSignal, isCheck = false) => {
  const hash = createHash('sha256')
  const progress = new Progress('lines read')
  let lines = 0
  let last = 0
  let invalid = 0
  try {
    for await (const pet of petLines(file, (bytes) => hash.update(bytes))) {
      signal.throwIfAborted()
      lines++
      last = pet.number
      progress.add()
      const problem = isCheck && problemOf(pet)
      if (!problem) continue
      invalid++
      progress.clear()
      if (invalid <= 10) console.info(printable(`Line ${pet.number}: ${problem}`))
    }
  } finally {
    progress.stop()
  }
  if (isCheck) console.info(`Of ${grouped(lines)} pets, the API would refuse ${grouped(invalid)}.`)
  if (invalid > 0) throw new CommandError(`${file} has invalid lines. Nothing was sent.`)
  return { digest: hash.digest('hex'), lines, last }
}

type Plan = {
  file: string
  record: ImportRecord
  inFlight: number
  resend: boolean
  signal: AbortSignal
  progress: Progress
}
type Access = Omit<ConstructorParameters<typeof ApiClient>[0], 'signal'>

/** Adds the pets without an outcome. Returns those that may have been added. */
const addPets = async (plan: Plan, access: Access): Promise<PetLine[]> => {
  const failed = new AbortController()
  const signal = AbortSignal.any([plan.signal, failed.signal])
  const api = new ApiClient({ ...access, signal })
  await assertNewest(plan.record, api)
  const unknown: PetLine[] = []
  const pets = petLines(plan.file)
  const work = async () => {
    for await (const pet of pets) {
      signal.throwIfAborted()
      if (plan.record.outcomes[pet.number]) continue
      if ((await addPet(pet, plan, api)) === 'unknown') unknown.push(pet)
      plan.progress.add()
    }
  }
  const workers = Array.from({ length: plan.inFlight }, () => work().catch((e) => failed.abort(e)))
  await Promise.all(workers)
  failed.signal.throwIfAborted()
  return unknown
}

/** Throws a CommandError if the last pet that was added is not in the database. */
const assertNewest = async ({ newestId, path }: ImportRecord, api: ApiClient): Promise<void> => {
  if (newestId === undefined) return
  // No pet has this revision, so nothing changes: 412. A key for writes may not read the pet.
  const { status } = await api.send({
    method: 'PATCH',
    path: `${entries.createPet.path}/${newestId}`,
    headers: { 'If-Match': '"none"' },
    body: '{"name":"-"}',
    statuses: [404, 412],
  })
  if (status === 404)
    throw new CommandError(
      `No pet has the id ${newestId}, which was imported last: it was deleted, or this is a new ` +
        `database. To import all lines again, remove ${path}.`,
    )
}

/** An Idempotency-Key is valid for 24 hours. A request may take a while to arrive. */
const RETRY_MS = 23 * 3_600_000

/** Records what becomes of a pet. Without a response within 23 hours, that is unknown. */
const addPet = async (pet: PetLine, { record, resend }: Plan, api: ApiClient) => {
  const { number: line, body, problem } = pet
  if (problem) return record.add({ line, refused: problem })
  let sentAt = record.sentAt.get(line)
  const isOld = sentAt !== undefined && Date.now() >= sentAt + RETRY_MS
  if (isOld && !resend) return 'unknown'
  if (sentAt === undefined || isOld) {
    sentAt = Date.now()
    record.add({ line, sentAt: new Date(sentAt).toISOString() })
  }
  const { status, json } = await api.send({
    method: 'POST',
    path: entries.createPet.path,
    headers: { 'Idempotency-Key': `import-${record.digest}-${line}` },
    body,
    statuses: [201, 400, 413, 422],
    retryUntil: sentAt + RETRY_MS,
  })
  if (status === 0) return 'unknown'
  const { id, message } = Object(json)
  return record.add(status === 201 ? { line, id } : { line, refused: message })
}

/** Prints what became of all. Throws a CommandError if not all were added. */
const report = async (file: string, lines: number, record: ImportRecord, unknown: PetLine[]) => {
  const first = record.firstRefusals.toSorted((a, b) => a.line - b.line)
  for (const { line, refused } of first) console.info(printable(`Line ${line}: ${refused}`))
  for (const { number, body } of unknown.slice(0, 10))
    console.info(printable(`Line ${number} may have been added. Look for ${body.slice(0, 200)}`))
  const counts = `${grouped(record.added)} added, ${grouped(record.refused)} refused`
  const rest = unknown.length > 0 ? `, ${grouped(unknown.length)} unknown` : ''
  console.info(`Of ${grouped(lines)} pets: ${counts}${rest}.`)
  const advice: string[] = []
  if (record.refused > 0) advice.push(await writeRefused(file, record))
  if (unknown.length > 0)
    advice.push(
      'Look for the unknown lines. --resend sends them again: it adds them twice if they are there.',
    )
  if (advice.length > 0) throw new CommandError(advice.join(' '))
}

/** Writes the refused lines, unless somebody may have mended them. Returns what to do then. */
const writeRefused = async (file: string, record: ImportRecord): Promise<string> => {
  const path = `${file}.refused${extname(file)}`
  const advice = `The refused lines are in ${path}. Correct them there, and import that file.`
  if (existsSync(path))
    return `${advice} It was there before: to have it written again, remove it, and run this again.`
  const part = `${path}.part` // A run that is killed leaves no file with some of the lines.
  try {
    await writeFile(part, refusedLines(file, record))
    await rename(part, path)
  } catch (error) {
    throw cannotWrite(part, error)
  }
  return advice
}

async function* refusedLines(file: string, record: ImportRecord): AsyncGenerator<string> {
  let isFirst = true
  for await (const { number, header, text } of petLines(file)) {
    if (record.outcomes[number] !== REFUSED) continue
    yield isFirst ? header + text : text
    isFirst = false
  }
}

if (import.meta.main) await run(importCommand)
