import { createHash } from 'node:crypto'
import { CommandError, run, stopSignal, wholeNumber } from '../command-line.ts'
import { withCommandKey } from './command-key.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { importPets } from './import-pets.ts'
import { ImportRecord } from './import-record.ts'
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
  .action(async (file, { perSecond, inFlight, check, resend: isResend = false, ...target }) => {
    const signal = stopSignal()
    if (check) return checkFile(file, signal)
    const { digest, lines, last } = await survey(file, signal)
    const deployment = await findDeployment(target)
    const { baseUrl, name } = deployment
    const record = await ImportRecord.open(`${file}.${name}.jsonl`, digest, last)
    const progress = new Progress('pets', lines - record.added - record.refused)
    const say = (line: string) => progress.say(line)
    const plan = { file, digest, lines, record, inFlight, isResend, progress }
    // An idempotency record belongs to a client.
    const owner = { clientId: 'import', name: `import ${digest.slice(0, 16)}` }
    try {
      await withCommandKey(deployment, { ...owner, scopes: ['pets:write'] }, (apiKey) =>
        importPets(plan, { baseUrl, apiKey, perSecond, signal, say }),
      )
    } finally {
      progress.stop()
      record.close()
    }
  })

/** Reads the whole file before anything is sent. Throws a CommandError if it cannot be read. */
const survey = async (
  file: string,
  signal: AbortSignal,
  visit: (pet: PetLine) => unknown = () => {},
) => {
  const hash = createHash('sha256')
  const progress = new Progress('lines read')
  let last = 0
  let lines = 0
  try {
    for await (const pet of petLines(file, (chunk) => hash.update(chunk))) {
      signal.throwIfAborted()
      await visit(pet)
      last = pet.number
      lines++
      progress.add()
    }
  } finally {
    progress.stop()
  }
  return { digest: hash.digest('hex'), lines, last }
}

const checkFile = async (file: string, signal: AbortSignal): Promise<void> => {
  let invalid = 0
  const { lines } = await survey(file, signal, async (pet) => {
    const problem = await problemOf(pet)
    if (problem && ++invalid <= 10) console.info(`Line ${pet.number}: ${problem}`)
  })
  console.info(`Of ${grouped(lines)} pets, the API would refuse ${grouped(invalid)}.`)
  if (invalid > 0) throw new CommandError(`${file} has invalid lines. Nothing was sent.`)
}

if (import.meta.main) await run(importCommand)
