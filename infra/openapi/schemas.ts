import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { Cursor } from '../../shared/model/cursor.ts'
import { IdempotencyKey } from '../../shared/model/idempotency-key.ts'
import { Int64, Int64Text, MAX_INT64, MIN_INT64 } from '../../shared/model/int64.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { Limit, MAX_LIMIT, MAX_NAME, Name, NewPet, Pet, PetStatus, Pets } from '../../shared/model/pet.ts'
import { fieldWords } from './words.ts'

/** A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it). A `bigint` in it is a number. */
export type Json = Record<string, unknown>

/** The schemas that have a name in the document. */
export const named = { PetStatus, NewPet, Pet, Pets }

/** The named schemas. */
export const componentSchemas = (): Json => checked(toJsonSchemaDefs(named, config))

/** A schema as it is on the wire: of a text that is read as a number, the number. Named schemas are references. */
export const jsonSchemaOf = (schema: v.GenericSchema): Json => {
  const { $schema, $defs, ...json } = toJsonSchema(schema, { ...config, definitions: named })
  return checked(json)
}

// What code checks means nothing to a converter.
const written: [{ pipe: readonly unknown[] }, Json][] = [
  [Int64, { type: 'integer', format: 'int64', minimum: MIN_INT64, maximum: MAX_INT64 }],
  [Limit, { type: 'integer', minimum: 1, maximum: MAX_LIMIT }],
  [Name, { type: 'string', maxLength: MAX_NAME, pattern: '^[^\\uFFFD]*[^\\s\\uFEFF\\uFFFD][^\\uFFFD]*$' }],
  [Cursor, { type: 'string', pattern: Cursor.pipe[1].requirement.source }],
  [IdempotencyKey, { type: 'string', pattern: IdempotencyKey.pipe[1].requirement.source }],
]
const byLastAction = new Map(written.map(([{ pipe }, json]) => [pipe.at(-1), json]))

const UNSAID = 'x-unsaid'

const config: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'output',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideAction: ({ valibotAction, jsonSchema, errors }): Json | undefined => {
    if (errors) return { ...jsonSchema, [UNSAID]: valibotAction.type }
    const described = byLastAction.get(valibotAction)
    return described && { ...described, description: jsonSchema.description }
  },
  overrideSchema: ({ valibotSchema, jsonSchema }): Json | undefined => {
    if (valibotSchema.type === 'bigint') return { [UNSAID]: 'bigint' }
    if (jsonSchema.properties) return { ...jsonSchema, properties: withMeanings(jsonSchema.properties) }
    if (!('default' in jsonSchema) || !('wrapped' in valibotSchema)) return undefined
    // The default is a text, too.
    return { ...jsonSchema, default: v.parse(valibotSchema as v.GenericSchema, undefined) }
  },
}

const withMeanings = (properties: object): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { ...schema, description: fieldWords(name, schema.description) },
    ]),
  )

const checked = <T extends object>(json: T): T => {
  const text = stringifyJson(json)
  if (text.includes(UNSAID))
    throw new Error(`Write down in infra/openapi/schemas.ts what JSON Schema cannot say: ${text}`)
  return json
}

const newPet: NewPet = { name: 'Rex', categoryId: 7, status: 'available' }
const pet: Pet = { id: 373212905455903, ...newPet }

const examples = new Map<v.GenericSchema, unknown>([
  [NewPet, newPet],
  [Pet, pet],
  [Int64Text, pet.id],
  [Pets, [{ id: 373212905520046, name: 'Tom', categoryId: 9007199254740991 }, pet]],
])

/** An example of a value, where there is one. */
export const exampleOf = (schema: v.GenericSchema): Json =>
  examples.has(schema) ? { example: examples.get(schema) } : {}
