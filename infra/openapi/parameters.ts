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
  }))
