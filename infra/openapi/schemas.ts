import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import { fieldDescription, fieldRule } from '../../shared/model/fields.ts'
import { capitalized } from '../../shared/model/names.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'

/** A JSON Schema (draft 2020-12), or a part of one. */
export type Json = Record<string, unknown>

/** The JSON Schemas of all schemas with a title, by title. Elsewhere they are references. */
export const componentSchemas = (): Record<string, Json> => {
  // The cast holds: no schema here is the boolean form of JSON Schema.
  const components = toJsonSchemaDefs(named, config) as Record<string, Json>
  for (const { body } of Object.values(entries)) {
    const title = body && v.getTitle(body)
    // The body parser refuses `__proto__`, which can change the prototype of an object.
    if (title !== undefined)
      components[title] = { ...components[title], propertyNames: { not: { const: '__proto__' } } }
  }
  return components
}

/**
 * The JSON Schema of a value as it is sent. `v.metadata()` has what cannot be converted, such as
 * the type that a transformation needs.
 */
export const jsonSchema = (schema: v.GenericSchema, definitions = named): Json => {
  const { $schema, $defs, ...json } = toJsonSchema(schema, { ...config, definitions })
  return json
}

/** The first example of a schema; `undefined` if it has none. */
export const exampleOf = (schema: v.GenericSchema): unknown => v.getExamples(schema).at(0)

/**
 * A body of a request or a response. It has only one media type, because generators make a type, or
 * a method, of each.
 */
export const jsonContent = (schema: Json, example: unknown): Json => ({
  'application/json': { schema, example },
})

/** The schema of the response body of an operation; `undefined` if it has none. */
export const responseSchema = ({ pages, returns }: AnyEntry): v.GenericSchema | undefined =>
  pages ?? returns

/** A schema, with what only some kinds have: the fields of an object, the parts of a union. */
export type SchemaPart = v.GenericSchema & { entries?: v.ObjectEntries; options?: unknown }

/** All schemas in a value, or its actions of a kind; the innermost come first. */
export const partsIn = (value: unknown, kind = 'schema'): SchemaPart[] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap((part) => partsIn(part, kind))
  if (!('kind' in value) || value.kind !== kind) return inner
  return [...inner, value as SchemaPart] // Only parts of schemas have a kind.
}

/** The schemas in the contract that have a title, by that title. */
const named: Record<string, v.GenericSchema> = {}
for (const schema of partsIn(entries)) {
  const title = v.getTitle(schema)
  if (title !== undefined) named[title] = schema
}

type Action = { type: string; metadata?: Json }

const config: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'output',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  // A title is the name of a schema in the document, and an example appears beside its schema.
  ignoreActions: ['title', 'examples'],
  overrideAction: ({ valibotAction, jsonSchema, errors }): Json | undefined => {
    const { type, metadata }: Action = valibotAction
    const { properties } = jsonSchema
    // It is part of the description of the field.
    if (metadata?.rule !== undefined) return { ...jsonSchema, rule: undefined }
    // It replaces what comes from the checks before it. An object keeps its properties.
    if (type === 'metadata') return properties ? { ...jsonSchema, ...metadata } : metadata
    // Of `anyOf`, generators of clients make a type of each part.
    if (type === 'min_entries') {
      const hasNone = { propertyNames: { not: { enum: Object.keys({ ...properties }) } } }
      return { ...jsonSchema, not: hasNone }
    }
    // The description says what a check does, if JSON Schema cannot.
    return errors ? { ...jsonSchema } : undefined
  },
  overrideSchema: ({ valibotSchema, jsonSchema }): Json | undefined => {
    const { type, entries = {} }: SchemaPart = valibotSchema
    if (type === 'object') {
      const properties = describedProperties({ ...jsonSchema.properties }, entries)
      return { ...jsonSchema, properties }
    }
    if (type === 'bigint') return {} // Metadata says more.
    if ('const' in jsonSchema) return typedConstant({ ...jsonSchema })
    if (!('default' in jsonSchema)) return undefined
    // The default is text, too: it is parsed like a value that was sent.
    return { ...jsonSchema, default: v.parse(valibotSchema as v.GenericSchema, undefined) }
  },
}

/** The properties of an object, each with what its field means, and its rule. */
const describedProperties = (properties: Json, fields: v.ObjectEntries): Json => {
  const described: Json = {}
  for (const [name, field] of Object.entries(fields)) {
    const rule = fieldRule(field)
    const sentences = [fieldDescription(field), rule && `${capitalized(rule)}.`]
    const description = sentences.filter(Boolean).join(' ')
    described[name] = { ...Object(properties[name]), description }
  }
  return described
}

/** OpenAPI Generator makes wrong Java and Python of a boolean with `const`. */
const typedConstant = (schema: Json): Json =>
  typeof schema.const === 'boolean'
    ? { type: 'boolean', not: { const: !schema.const } }
    : { type: typeof schema.const, ...schema }
