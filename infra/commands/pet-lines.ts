import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import { pipeline, type Transform } from 'node:stream'
import { type Options, parse } from 'csv-parse'
import * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import { NewPet, Pet } from '../../shared/pets/pet.ts'
import { parseRequest } from '../../shared/pipeline/input.ts'
import { jsonBody } from '../../shared/pipeline/middleware/json-body.ts'
import { CommandError } from '../command-line.ts'

/**
 * A pet of a file: the number of its last line, its text, after the header if the file has one, and
 * the JSON that adds it. With a `problem`, it must not be sent.
 */
export type PetLine = {
  number: number
  text: string
  header: string | undefined
  body: string
  problem?: string | undefined
}

/**
 * Reads the pets of a CSV (RFC 4180) or JSONL file. `onData` gets all of its bytes. Throws a
 * CommandError if it cannot be read.
 */
export async function* petLines(
  file: string,
  onData: (bytes: string | Buffer) => void = () => {},
): AsyncGenerator<PetLine> {
  const format = formats.get(extname(file).toLowerCase())
  if (!format) throw new CommandError(`${file} is no .csv and no .jsonl file.`)
  const source = createReadStream(file).on('data', onData)
  const rows: Transform = parse({ ...LINES, ...format.options })
  pipeline(source, rows, () => {}) // An error of the source becomes one of the rows.
  try {
    yield* format.petsOf(rows)
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${Object(error).message}`, { cause: error })
  }
}

/** What the API would say of a pet; `undefined` if it would add it. */
export const problemOf = async ({ body, problem }: PetLine): Promise<string | undefined> => {
  if (problem) return problem
  const multiValueHeaders = { 'Content-Type': ['application/json'] }
  const requestContext = { authorizer: { clientId: '' } }
  // It has all that the two checks read.
  const event = { body, multiValueHeaders, requestContext } as never
  try {
    await jsonBody(NewPet, entries.createPet).before?.({ event } as never)
    parseRequest('createPet', entries.createPet, event)
    return undefined
  } catch (error) {
    return Object(error).message
  }
}

/** A line of CSV, without its end. */
export const csvLine = (cells: unknown[]): string =>
  cells
    .map((cell) => String(cell ?? ''))
    .map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(',')

/** A record of the parser: `lines` counts those up to its end. */
type Row = { record: string[]; info: { lines: number } }

const LINES: Options = {
  bom: true,
  info: true,
  record_delimiter: ['\r\n', '\n'],
  relax_column_count: true,
  skip_empty_lines: true,
}

const KNOWN = Object.keys(Pet.entries)

async function* petsOfCsv(rows: AsyncIterable<Row>): AsyncGenerator<PetLine> {
  let columns: string[] | undefined
  for await (const { record, info } of rows) {
    if (!columns) {
      columns = record
      assertHeader(columns)
      continue
    }
    const problem = `The line has ${record.length} cells, and the header has ${columns.length}.`
    yield {
      number: info.lines,
      text: csvLine(record),
      header: csvLine(columns),
      body: bodyOf(columns, record),
      problem: record.length === columns.length ? undefined : problem,
    }
  }
  if (!columns) throw new Error(`it is empty. ${HEADER}`)
}

const HEADER = `Its first line must name fields, with commas between them: ${KNOWN}.`

const assertHeader = (columns: string[]): void => {
  const unknown = columns.find((name) => !KNOWN.includes(name))
  const repeated = columns.find((name, i) => columns.indexOf(name) !== i)
  if (unknown !== undefined)
    throw new Error(`it has the unknown column ${JSON.stringify(unknown)}. ${HEADER}`)
  if (repeated) throw new Error(`it has the column ${repeated} twice.`)
}

/** The fields that are numbers in JSON. Any other cell becomes text, which the API refuses. */
const NUMBERS = Object.entries<v.GenericSchema>(NewPet.entries)
  .filter(([, field]) => v.getMetadata(field).type === 'integer')
  .map(([name]) => name)
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i

const bodyOf = (columns: string[], cells: string[]): string => {
  const fields: Record<string, unknown> = {}
  for (const [i, name] of columns.entries()) {
    const cell = cells[i]
    if (!cell || !(name in NewPet.entries)) continue
    fields[name] = NUMBERS.includes(name) && NUMBER.test(cell) ? JSON.rawJSON(cell) : cell
  }
  return JSON.stringify(fields)
}

async function* petsOfJson(rows: AsyncIterable<Row>): AsyncGenerator<PetLine> {
  for await (const { record, info } of rows) {
    const text = record.join(NUL)
    const unknown = namesIn(text).find((name) => !KNOWN.includes(name))
    const problem = unknown === undefined ? undefined : `It has the unknown field "${unknown}".`
    yield { number: info.lines, text, header: undefined, body: text, problem }
  }
}

/** The names in a JSON object. What is wrong with any other text, the API says. */
const namesIn = (text: string): string[] => {
  try {
    return text.trimStart().startsWith('{') ? Object.keys(Object(JSON.parse(text))) : []
  } catch {
    return []
  }
}

// A line of JSON is a row of one cell. `readline` would end it at a U+2028 in a string.
const NUL = '\0'
const formats = new Map([
  ['.csv', { petsOf: petsOfCsv, options: {} }],
  ['.jsonl', { petsOf: petsOfJson, options: { delimiter: NUL, quote: false, escape: false } }],
])
