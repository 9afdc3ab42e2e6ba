import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import { capitalized } from '../../shared/model/names.ts'
import type { ObjectSchema } from '../../shared/pipeline/entry.ts'

/** A JSON Schema (draft 2020-12), or a part of one. */
export type Json = Record<string, unknown>

/** The JSON Schemas of all schemas with a title, by title. Elsewhere they are references. */
export const componentSchemas = (): Record<string, Json> => {
  // The cast holds: no schema here is the boolean form of JSON Schema.
  const components = toJsonSchemaDefs(named, config) as Record<string, Json>
  for (const { body } of Object.values(entries)) {
    const title = body && v.getTitle(body)
    if (title !== undefined) components[title] = { ...components[title], ...NO_PROTOTYPE }
  }
  return components
}

/** The JSON Schema of a request body: a reference alone if it has a title, as clients need it. */
export const bodySchema = (body: ObjectSchema): Json => {
  const json = jsonSchema(body)
  return '$ref' in json ? json : { ...json, ...NO_PROTOTYPE }
}

// The body parser refuses `__proto__`, which can change the prototype of an object.
const NO_PROTOTYPE = { propertyNames: { not: { const: '__proto__' } } }

/**
 * The JSON Schema of a value as it is sent. `v.metadata()` has what cannot be converted, such as
 * the type that a transformation needs.
 */
export const jsonSchema = (schema: v.GenericSchema): Json => {
  const { $schema, $defs, ...json } = toJsonSchema(schema, { ...config, definitions: named })
  return json
}

/** The example of a schema as a member of an OpenAPI object; empty if there is none. */
export const exampleMember = (schema: v.GenericSchema): Json => {
  const [example]: readonly unknown[] = v.getExamples(schema)
  return example === undefined ? {} : { example }
}

/** All schemas in a value; the innermost come first. */
const schemasIn = (value: unknown): v.GenericSchema[] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(schemasIn)
  if (!('kind' in value) || value.kind !== 'schema') return inner
  return [...inner, value as v.GenericSchema] // Only schemas have this kind.
}

/** The schemas in the contract that have a title, by that title. */
const named: Record<string, v.GenericSchema> = {}
for (const schema of schemasIn(entries)) {
  const title = v.getTitle(schema)
  if (title !== undefined) named[title] = schema
}

const config: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'output',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideAction: ({ valibotAction, jsonSchema, errors }): Json | undefined => {
    const convert = ACTIONS[valibotAction.type]
    if (convert) return convert({ ...jsonSchema }, valibotAction)
    // The description says what a check does, if JSON Schema cannot.
    return errors ? { ...jsonSchema } : undefined
  },
  overrideSchema: ({ valibotSchema, jsonSchema }): Json | undefined => {
    if (valibotSchema.type === 'bigint') return {} // Metadata says more.
    if ('const' in jsonSchema) return typedConstant({ ...jsonSchema })
    if (!('default' in jsonSchema)) return undefined
    // The default is text, too: it is parsed like a value that was sent.
    return { ...jsonSchema, default: v.parse(valibotSchema as v.GenericSchema, undefined) }
  },
}

type Action = { type: string; metadata?: Json; description?: string }

/**
 * In a pipe, `mustBe()` comes before `v.description()`. The schema keeps the rule's sentence here,
 * so that the description can append it. `JSON.stringify` drops symbols.
 */
const RULE = Symbol('rule')

type Draft = Json & { [RULE]?: string | undefined }

/** What an action of a pipe makes of the schema of the actions before it. */
const ACTIONS: Record<string, (schema: Draft, action: Action) => Draft | undefined> = {
  description: (schema, { description }) => ({
    ...schema,
    description: [description, schema[RULE]].filter(Boolean).join(' '),
  }),
  metadata: (schema, { metadata = {} }) => {
    if (typeof metadata.rule === 'string') return withRule(schema, metadata.rule)
    // It replaces what comes from the checks before it. An object keeps its properties.
    return schema.properties ? { ...schema, ...metadata } : metadata
  },
  // It is the name of the schema in the document.
  title: (schema) => ({ ...schema, title: undefined }),
  // The example appears beside the schema: `exampleMember`.
  examples: (schema) => ({ ...schema, examples: undefined }),
  min_entries: (schema) => ({ ...schema, not: hasNoneOf(Object.keys(Object(schema.properties))) }),
}

const withRule = (schema: Draft, text: string): Draft => {
  // The values of an enumeration say what its rule says.
  const sentence = schema.enum ? undefined : `${capitalized(text)}.`
  return { ...schema, rule: undefined, description: sentence, [RULE]: sentence }
}

// What generators of clients need.

/** Of `anyOf`, they make a type of each part. */
const hasNoneOf = (names: string[]): Json => ({ propertyNames: { not: { enum: names } } })

/** OpenAPI Generator makes wrong Java and Python of a boolean with `const`. */
const typedConstant = (schema: Json): Json =>
  typeof schema.const === 'boolean'
    ? { type: 'boolean', not: { const: !schema.const } }
    : { type: typeof schema.const, ...schema }
