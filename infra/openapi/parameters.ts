import type * as v from 'valibot'
import type { Row } from '../../shared/contract.ts'
import type { ObjectSchema } from '../../shared/model/takes.ts'
import { exampleOf } from './examples.ts'
import { type Json, jsonSchemaOf } from './schemas.ts'
import { meanings } from './words.ts'

/** The parameters of an operation: in its path, its query and its headers. */
export const parametersOf = ({ params, query, headers }: Row): Json[] => [
  ...inPlace('path', params),
  ...inPlace('query', query),
  ...inPlace('header', headers),
]

const inPlace = (place: string, schema: ObjectSchema | undefined): Json[] =>
  Object.entries(schema?.entries ?? {}).map(([name, entry]) => ({
    name,
    in: place,
    required: entry.type !== 'optional',
    description: meanings[name],
    schema: jsonSchemaOf(entry),
    ...exampleOf(entry),
    ...leftOut(entry),
  }))

/** Of a choice that need not be made, the console of the page would send the first; a list would seem to lack animals. */
const leftOut = (entry: v.GenericSchema): Json => {
  const { wrapped, default: value } = Object(entry)
  if (value !== undefined || !wrapped?.options) return {}
  return { examples: { default: { value: wrapped.options[0], 'x-disabled': true } } }
}
