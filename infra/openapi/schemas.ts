import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import { capitalized } from '../../shared/model/names.ts'

/** A JSON Schema (draft 2020-12), or a part of one. A `bigint` in it stands for a number. */
export type Json = Record<string, unknown>

/** The JSON Schemas of all schemas with a title, by title. Elsewhere they are references. */
export const componentSchemas = (): Record<string, Json> =>
  toJsonSchemaDefs(named, config) as Record<string, Json> // None is just `true`.

/**
 * The JSON Schema of a value as it is sent. What it cannot express, such as a transformation,
 * stands in `v.metadata()`.
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
  // Only schemas have it.
  return 'kind' in value && value.kind === 'schema' ? [...inner, value as v.GenericSchema] : inner
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
    const { type, metadata, description, text = '' }: Action = valibotAction
    switch (type) {
      case 'metadata':
        // It replaces what the checks before it say. An object keeps its properties.
        return jsonSchema.properties ? { ...jsonSchema, ...metadata } : metadata
      case 'title':
        return { ...jsonSchema, title: undefined } // It is the name in the document.
      case 'examples':
        return { ...jsonSchema, examples: undefined } // An example stands beside the schema.
      case 'description':
        return {
          ...jsonSchema,
          description: [description, Object(jsonSchema).rule].filter(Boolean).join(' '),
          rule: undefined,
        }
      case 'min_entries':
        return { ...jsonSchema, not: hasNoneOf(Object.keys(jsonSchema.properties ?? {})) }
      case 'must_be':
        // The values of an enumeration say what its rule says.
        return { ...jsonSchema, rule: jsonSchema.enum ? undefined : sentence(text) }
      default:
        // The description says what a check does, if JSON Schema cannot.
        return errors ? { ...jsonSchema } : undefined
    }
  },
  overrideSchema: ({ valibotSchema, jsonSchema }): Json | undefined => {
    if (valibotSchema.type === 'bigint') return {} // Metadata says more.
    // OpenAPI Generator makes wrong Java and Python of a boolean with `const`.
    if (typeof jsonSchema.const === 'boolean')
      return { type: 'boolean', not: { const: !jsonSchema.const } }
    if ('const' in jsonSchema) return { type: typeof jsonSchema.const, ...jsonSchema }
    if (!('default' in jsonSchema) || !('wrapped' in valibotSchema)) return undefined
    // The default is text, too: it is parsed like a value that was sent.
    return { ...jsonSchema, default: v.parse(valibotSchema as v.GenericSchema, undefined) }
  },
}

type Action = { type: string; metadata?: Json; description?: string; text?: string }

// An object with none of these. (Of `anyOf`, generators make a type of each part.)
const hasNoneOf = (names: string[]): Json => ({ propertyNames: { not: { enum: names } } })

const sentence = (rule: string): string => `${capitalized(rule)}.`
