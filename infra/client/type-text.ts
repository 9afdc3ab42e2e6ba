import type { Json } from '../openapi/schemas.ts'

/** A JSON Schema as a type of TypeScript. */
export const typeText = (schema: Json): string => {
  if (typeof schema.$ref === 'string') return schema.$ref.replace('#/components/schemas/', '')
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.format === 'int64') return 'Int64'
  const text = TEXTS[String(schema.type)]
  if (!text) throw new Error(`Write down in infra/client/type-text.ts which type has: ${JSON.stringify(schema)}`)
  return text(schema)
}

/** What is said of a schema, as a comment. */
export const commentOf = ({ description }: Json): string => (description ? `/** ${description} */\n` : '')

const TEXTS: Record<string, (schema: Json) => string> = {
  string: () => 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  array: ({ items }) => `Array<${typeText(items as Json)}>`, // JSON Schema's, as the two below.
  object: ({ properties, required = [] }) => {
    const fields = Object.entries(properties as Record<string, Json>)
    return `{\n${fields.map(([name, schema]) => field(name, schema, required as string[])).join('')}}`
  },
}

const field = (name: string, schema: Json, required: string[]): string => {
  const type = required.includes(name) ? `: ${typeText(schema)}` : `?: ${typeText(schema)} | undefined`
  return `${commentOf(schema)}${JSON.stringify(name)}${type};\n`
}
