import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { Cursor } from '../../shared/model/cursor.ts'
import { IdempotencyKey } from '../../shared/model/idempotency-key.ts'
import { Int64, Int64Text, MAX_INT64, MIN_INT64 } from '../../shared/model/int64.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import {
  Limit,
  MAX_LIMIT,
  MAX_NAME,
  Name,
  NewPet,
  Pet,
  PetChanges,
  PetId,
  PetStatus,
  Pets,
} from '../../shared/model/pet.ts'
import { fieldDescriptions } from './descriptions.ts'

/** A JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1), or a part of one. A `bigint` in it stands for a number. */
export type Json = Record<string, unknown>

/** The schemas that have a name in the document; elsewhere they are references. */
export const named = { PetStatus, NewPet, PetChanges, Pet, Pets }

/** The JSON Schemas of `named`, by name. */
export const componentSchemas = (): Json => complete(toJsonSchemaDefs(named, config))

/**
 * The JSON Schema of a value as it is sent. (The schema of a parameter parses text; JSON Schema describes the result.)
 *
 * @throws Error if JSON Schema cannot express a check and `written` has no entry for it
 */
export const jsonSchemaOf = (schema: v.GenericSchema): Json => {
  const { $schema, $defs, ...json } = toJsonSchema(schema, { ...config, definitions: named })
  return complete(json)
}

/** The example of a schema as a member of an OpenAPI object; empty if there is none. */
export const exampleOf = (schema: v.GenericSchema): Json =>
  examples.has(schema) ? { example: examples.get(schema) } : {}

/** What a field means. `entries` are those of its schema, which stay the same objects when the schema is put into a pipe. */
export const meaningOf = (entries: unknown, field: string): string | undefined =>
  fieldDescriptions.find(([schema]) => schema.entries === entries)?.[1][field]

const newPet: NewPet = { name: 'Rex', categoryId: 7, status: 'available' }
const pet: Pet = { id: 373212905455903, ...newPet }

const examples = new Map<v.GenericSchema, unknown>([
  [NewPet, newPet],
  [PetChanges, { status: 'sold' }],
  [Pet, pet],
  [Int64Text, pet.id],
  [Pets, [{ id: 373212905520046, name: 'Tom', categoryId: 9007199254740991 }, pet]],
])

// The converter cannot translate checks that are code, so the JSON Schemas of these are written by hand.
const written: [{ pipe: readonly unknown[] }, Json][] = [
  [Int64, { type: 'integer', format: 'int64', minimum: MIN_INT64, maximum: MAX_INT64 }],
  [PetId, { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }],
  [Limit, { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_LIMIT }],
  [Name, { type: 'string', maxLength: MAX_NAME, pattern: '^[^\\uFFFD]*[^\\s\\uFEFF\\uFFFD][^\\uFFFD]*$' }],
  [Cursor, { type: 'string', maxLength: 16, pattern: Cursor.pipe[1].requirement.source }],
  [IdempotencyKey, { type: 'string', pattern: IdempotencyKey.pipe[1].requirement.source }],
]
// The description is the last action of each pipe, so it identifies the schema.
const byDescription = new Map(written.map(([{ pipe }, json]) => [pipe.at(-1), json]))

const INCOMPLETE = 'x-incomplete'

const config: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'output',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideAction: ({ valibotAction, jsonSchema, errors }): Json | undefined => {
    if (valibotAction.type === 'min_entries')
      return { ...jsonSchema, not: without(Object.keys(jsonSchema.properties ?? {})) }
    if (errors) return { ...jsonSchema, [INCOMPLETE]: valibotAction.type }
    if (valibotAction.type !== 'description') return undefined
    const { description, ...json } = jsonSchema
    if (json.enum) return json // The values say it.
    return { ...(byDescription.get(valibotAction) ?? json), description: sentence(description) }
  },
  overrideSchema: ({ valibotSchema, jsonSchema }): Json | undefined => {
    if (valibotSchema.type === 'bigint') return { [INCOMPLETE]: 'bigint' }
    if (jsonSchema.properties && 'entries' in valibotSchema)
      return { ...jsonSchema, properties: described(jsonSchema.properties, valibotSchema.entries) }
    if (!('default' in jsonSchema) || !('wrapped' in valibotSchema)) return undefined
    // The default is text, too: it is parsed like a value that was sent.
    return { ...jsonSchema, default: v.parse(valibotSchema as v.GenericSchema, undefined) }
  },
}

// An object with none of these properties. (`anyOf`, with each of them as required, would say which objects are valid, but
// the page and client generators make a type of each of its parts.)
const without = (names: string[]): Json => ({ propertyNames: { not: { enum: names } } })

const sentence = (rule = ''): string => `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.`

/** Puts the meaning of each property before its rule. */
const described = (properties: object, entries: unknown): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const sentences = [meaningOf(entries, name), schema.description].filter(Boolean)
      return [name, { ...schema, description: sentences.join(' ') || undefined }]
    }),
  )

const complete = <T extends object>(json: T): T => {
  const text = stringifyJson(json)
  if (text.includes(INCOMPLETE))
    throw new Error(`Add to "written" in infra/openapi/schemas.ts what JSON Schema cannot express: ${text}`)
  return json
}
