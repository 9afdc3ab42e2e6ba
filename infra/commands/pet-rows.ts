import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type Info, parse } from 'csv-parse/sync'
import * as v from 'valibot'
import { jsonOf, stringifyJson } from '../../shared/model/json.ts'
import { NewPet, Pet } from '../../shared/pets/pet.ts'
import { CommandError } from '../command-line.ts'

/**
 * A pet of a file: the number of its row, as a spreadsheet counts rows, and the JSON that adds it.
 * With a `problem`, it must not be sent.
 */
export type PetRow = { number: number; body: string; problem?: string | undefined }

/**
 * Reads a CSV (RFC 4180) or JSONL file, once: what is written to it later is not seen. Throws a
 * CommandError if it cannot be read to its end.
 */
export const readPets = (file: string): PetRow[] => {
  const rowsOf = formatOf(file) === 'csv' ? csvRows : jsonRows
  const bytes = readFileSync(file)
  if (!isUtf8(bytes)) throw new CommandError(`${file} is not UTF-8. Save it as UTF-8.`)
  return rowsOf(bytes)
}

/** The format that the name of a file says. Throws a CommandError if it is another one. */
export const formatOf = (file: string): 'csv' | 'jsonl' => {
  const format = extname(file).toLowerCase().slice(1)
  if (format === 'csv' || format === 'jsonl') return format
  throw new CommandError(`${file} is neither a .csv nor a .jsonl file.`)
}

/** A line of CSV. An object in it is JSON. */
export const csvLine = (cells: unknown[]): string => {
  const quoted = cells.map((cell) => {
    const text = Object(cell) === cell ? stringifyJson(cell) : String(cell ?? '')
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${quoted.join(',')}\r\n`
}

const FIELDS = Object.keys(Pet.entries)

type Cells = Record<string, string>

const csvRows = (bytes: Buffer): PetRow[] => {
  try {
    return parse<PetRow, Cells>(bytes, {
      bom: true,
      columns: checkedHeader,
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: true,
      // As large as a body may be. A quote that is never closed ends here.
      max_record_size: 256 * 1024,
      // The parser does not count the header.
      on_record: (cells, { records, empty_lines }) => petOf(cells, records + empty_lines + 1),
    })
  } catch (error) {
    if (error instanceof CommandError) throw error
    const { records, empty_lines, message }: Info & Error = Object(error)
    // The parser counts lines, of which a row may have several.
    const problem = message.replace(/ (at|on) line \d+/, '')
    throw new CommandError(`Row ${records + empty_lines + 2} is no CSV: ${problem}`)
  }
}

const checkedHeader = (names: string[]): string[] => {
  const isHeader = names.every((name, i) => FIELDS.includes(name) && names.indexOf(name) === i)
  if (isHeader) return names
  throw new CommandError(`The first row must name fields, each once: ${FIELDS}.`)
}

const DIGITS = /^-?(0|[1-9]\d*)$/

/** An empty cell is an absent field. An integer keeps all digits, unless its field may be text. */
const petOf = (cells: Cells, number: number): PetRow => {
  const fields: Record<string, unknown> = {}
  let problem: string | undefined
  for (const [name, schema] of Object.entries<v.GenericSchema>(NewPet.entries)) {
    const cell = cells[name]
    if (!cell) continue
    const isText = v.is(schema, cell)
    fields[name] = !isText && DIGITS.test(cell) ? JSON.rawJSON(cell) : cell
    // Spreadsheets save integers of 12 digits and more with an exponent.
    if (!isText && /^[\d.,]+e/i.test(cell))
      problem = `${name} must be in digits: a spreadsheet may have rounded ${cell}.`
  }
  return { number, body: JSON.stringify(fields), problem }
}

const jsonRows = (bytes: Buffer): PetRow[] => {
  const rows: PetRow[] = []
  for (const [i, line] of bytes.toString().split('\n').entries()) {
    const body = line.trim()
    if (body) rows.push({ number: i + 1, body, problem: unknownField(body) })
  }
  return rows
}

/** What is wrong with other JSON than objects, the API says. */
const unknownField = (body: string): string | undefined => {
  const names = body.startsWith('{') ? Object.keys(Object(jsonOf(body))) : []
  const unknown = names.find((name) => !FIELDS.includes(name))
  return unknown === undefined ? undefined : `It has the unknown field "${unknown}".`
}
