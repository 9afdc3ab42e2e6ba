import { isUtf8 } from 'node:buffer'
import { realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { parse } from 'csv-parse'
import * as v from 'valibot'
import { jsonOf } from '../../shared/model/json.ts'
import { NewPet, Pet } from '../../shared/pets/pet.ts'
import { CommandError } from '../command-line.ts'

/**
 * A pet of a file: the number of its row, as a spreadsheet counts rows, and the JSON that adds it.
 * With a `problem`, it must not be sent.
 */
export type PetRow = { number: number; body: string; problem?: string | undefined }

/** The pets of a file. */
export type PetFile = {
  /** Without symbolic links. */
  path: string
  count: number
  rows: () => AsyncIterable<PetRow>
  /** Whether several rows have this body; perhaps also if only one has it. */
  mayRepeat: (body: string) => boolean
}

/**
 * Reads a CSV (RFC 4180) or JSONL file, once: what is written to it later is not seen. Throws a
 * CommandError if it cannot be read to its end.
 */
export const readPets = async (file: string): Promise<PetFile> => {
  const rowsOf = formats.get(extname(file).toLowerCase())
  if (!rowsOf) throw new CommandError(`${file} is neither a .csv nor a .jsonl file.`)
  const path = realpathSync(file)
  const bytes = await readFile(path)
  if (!isUtf8(bytes)) throw new CommandError(`${file} is not UTF-8. Save it as UTF-8.`)
  const rows = () => rowsOf(bytes)
  // How many rows have a hash. A map of all rows would take 340 MB for a million of them.
  const counts = new Uint8Array(2 ** 24)
  const hashOf = (body: string) => crc32(body) >>> 8
  let count = 0
  for await (const { body } of rows()) {
    const hash = hashOf(body)
    counts[hash] = Math.min((counts[hash] ?? 0) + 1, 2)
    count++
  }
  return { path, count, rows, mayRepeat: (body) => counts[hashOf(body)] === 2 }
}

/** A line of CSV. */
export const csvLine = (cells: unknown[]): string => {
  const quoted = cells.map((cell) => {
    const text = String(cell ?? '')
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${quoted.join(',')}\r\n`
}

/** How many records and empty lines the parser has passed, with this one or before an error. */
type Position = { records: number; empty_lines: number }

const FIELDS = Object.keys(Pet.entries)
/** As large as a body may be. A quote that is never closed ends here. */
const MAX_RECORD = 256 * 1024
const PIECE = 16 * 1024

async function* csvRows(bytes: Buffer): AsyncGenerator<PetRow> {
  const parser = parse({
    bom: true,
    info: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
  })
  // In pieces, so that not all records are in memory.
  pipeline(Readable.from(piecesOf(bytes)), parser, () => {})
  const records: AsyncIterable<{ record: string[]; info: Position }> = parser
  let columns: string[] | undefined
  try {
    for await (const { record: cells, info } of records) {
      if (columns) yield { number: info.records + info.empty_lines, ...petOf(columns, cells) }
      else if (isHeader(cells)) columns = cells
      else break
    }
  } catch (error) {
    const { records, empty_lines, message }: Position & Error = Object(error)
    // The parser counts lines, of which a row may have several.
    const problem = message.replace(/ at line \d+/, '')
    throw new CommandError(`Row ${records + empty_lines + 1} is no CSV: ${problem}`)
  }
  if (!columns) throw new CommandError(`The first row must name fields, each once: ${FIELDS}.`)
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}

const isHeader = (names: string[]): boolean =>
  names.every((name, i) => FIELDS.includes(name) && names.indexOf(name) === i)

const DIGITS = /^-?(0|[1-9]\d*)$/

/** An empty cell is an absent field. An integer keeps all digits, unless its field may be text. */
const petOf = (columns: string[], cells: string[]): Omit<PetRow, 'number'> => {
  const fields: Record<string, unknown> = {}
  let problem: string | undefined
  if (cells.length !== columns.length)
    problem = `It has ${cells.length} cells, and the header has ${columns.length}.`
  for (const [name, schema] of Object.entries<v.GenericSchema>(NewPet.entries)) {
    const cell = cells[columns.indexOf(name)]
    if (!cell) continue
    const isNumber = !v.is(schema, cell) && !Number.isNaN(Number(cell))
    // Spreadsheets save integers of 12 digits and more with an exponent.
    if (isNumber && /e/i.test(cell))
      problem = `${name} must be in digits: a spreadsheet may have rounded ${cell}.`
    fields[name] = isNumber && DIGITS.test(cell) ? JSON.rawJSON(cell) : cell
  }
  return { body: JSON.stringify(fields), problem }
}

async function* jsonRows(bytes: Buffer): AsyncGenerator<PetRow> {
  let number = 0
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start)
    const line = bytes.toString('utf8', start, end < 0 ? undefined : end)
    start = end < 0 ? bytes.length : end + 1
    number++
    const body = line.replace(/^\uFEFF/, '').trim()
    if (body) yield { number, body, problem: unknownField(body) }
  }
}

/** What is wrong with other JSON than objects, the API says. */
const unknownField = (body: string): string | undefined => {
  const names = body.startsWith('{') ? Object.keys(Object(jsonOf(body))) : []
  const unknown = names.find((name) => !FIELDS.includes(name))
  return unknown === undefined ? undefined : `It has the unknown field "${unknown}".`
}

const formats = new Map([
  ['.csv', csvRows],
  ['.jsonl', jsonRows],
])
