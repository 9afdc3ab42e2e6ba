import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import { pipeline, type Transform } from 'node:stream'
import { parse } from 'csv-parse'
import * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import { jsonOf } from '../../shared/model/json.ts'
import { NewPet, Pet } from '../../shared/pets/pet.ts'
import { parseRequest } from '../../shared/pipeline/input.ts'
import { CommandError } from '../command-line.ts'

/**
 * A pet of a file: the number of its last line, its text, the header that a copy needs, and the
 * JSON that adds the pet. With a `problem`, it must not be sent.
 */
export type PetLine = {
  number: number
  header: string
  text: string
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
  const rows: Transform = parse({
    bom: true,
    info: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    ...format.options,
  })
  // An error of the file becomes one of the rows.
  pipeline(createReadStream(file).on('data', onData), rows, () => {})
  try {
    yield* format.petsOf(rows)
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${Object(error).message}`, { cause: error })
  }
}

/** Why the API would refuse a pet; `undefined` if it would add it. */
export const problemOf = ({ body, problem }: PetLine): string | undefined => {
  const json = jsonOf(body)
  if (problem || json === undefined) return problem ?? 'It is not JSON.'
  try {
    // An event with all that this reads.
    const event = { body: json, requestContext: { authorizer: { clientId: '' } } } as never
    parseRequest('createPet', entries.createPet, event)
    return undefined
  } catch (error) {
    return Object(error).message
  }
}

/** A line of CSV. */
export const csvLine = (cells: unknown[]): string => {
  const quoted = cells.map((cell) => {
    const text = String(cell ?? '')
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${quoted.join(',')}\r\n`
}

/** A record of the parser: `lines` counts those up to its end. */
type Row = { record: string[]; info: { lines: number } }

const FIELDS = Object.keys(Pet.entries)

async function* petsOfCsv(rows: AsyncIterable<Row>): AsyncGenerator<PetLine> {
  let columns: string[] | undefined
  for await (const { record: cells, info } of rows) {
    if (!columns) {
      columns = cells
      assertHeader(columns)
      continue
    }
    const problem = `The line has ${cells.length} cells, and the header has ${columns.length}.`
    yield {
      number: info.lines,
      header: csvLine(columns),
      text: csvLine(cells),
      body: bodyOf(columns, cells),
      problem: cells.length === columns.length ? undefined : problem,
    }
  }
  if (!columns) throw new Error(`it is empty. ${HEADER}`)
}

const HEADER = `Its first line must name fields, with commas between them: ${FIELDS}.`

const assertHeader = (columns: string[]): void => {
  const unknown = columns.find((name) => !FIELDS.includes(name))
  const repeated = columns.find((name, i) => columns.indexOf(name) !== i)
  if (unknown !== undefined)
    throw new Error(`it has the unknown column ${JSON.stringify(unknown)}. ${HEADER}`)
  if (repeated) throw new Error(`it has the column ${repeated} twice.`)
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i

/** An empty cell is an absent field. A number keeps all digits, unless its field may be text. */
const bodyOf = (columns: string[], cells: string[]): string => {
  const fields: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries<v.GenericSchema>(NewPet.entries)) {
    const cell = cells[columns.indexOf(name)]
    if (!cell) continue
    const isNumber = NUMBER.test(cell) && !v.is(schema, cell)
    fields[name] = isNumber ? JSON.rawJSON(cell) : cell
  }
  return JSON.stringify(fields)
}

async function* petsOfJson(rows: AsyncIterable<Row>): AsyncGenerator<PetLine> {
  for await (const { record, info } of rows) {
    const body = record.join(NUL)
    // What is wrong with other JSON than objects, the API says.
    const names = /^\s*\{/.test(body) ? Object.keys(Object(jsonOf(body))) : []
    const unknown = names.find((name) => !FIELDS.includes(name))
    const problem = unknown === undefined ? undefined : `It has the unknown field "${unknown}".`
    yield { number: info.lines, header: '', text: `${body}\n`, body, problem }
  }
}

// A line of JSON is a row of one cell. `readline` would end it at a U+2028 in a string.
const NUL = '\0'
const formats = new Map([
  ['.csv', { petsOf: petsOfCsv, options: {} }],
  ['.jsonl', { petsOf: petsOfJson, options: { delimiter: NUL, quote: false, escape: false } }],
])
