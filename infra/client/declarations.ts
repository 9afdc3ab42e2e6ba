import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '../../shared/contract.ts'
import { componentSchemas, type Json, jsonSchemaOf } from '../openapi/schemas.ts'

/** The declarations of the client by file name: that of `client.ts`, and those that it needs. */
export const declarations = (): Record<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-client-'))
  try {
    execFileSync('tsc', ['--project', 'infra/client/tsconfig.json', '--outDir', folder], { stdio: 'inherit' })
    return neededBy('client', (name) =>
      name === 'interface' ? interfaceDeclaration() : readFileSync(join(folder, 'client', `${name}.d.ts`), 'utf8'),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const neededBy = (name: string, read: (name: string) => string): Record<string, string> => {
  const text = read(name)
  const imported = [...text.matchAll(/ from '\.\/([\w-]+)\.ts'/g)].map(([, other = '']) => neededBy(other, read))
  return Object.assign({ [`${name}.d.ts`]: text.replaceAll(/( from '\.\/[\w-]+)\.ts'/g, "$1.js'") }, ...imported)
}

/**
 * What the package has in place of shared/client/interface.ts: the same types, each written out. (TypeScript itself would
 * declare them by schemas of valibot, which the package would then need.)
 */
export const interfaceDeclaration = (): string => {
  const schemas = Object.entries(componentSchemas()) as [string, Json][] // Each of them is a JSON Schema.
  return [
    declaration('Int64', 'number | bigint', {
      description: 'An int64, exact: a `bigint` where a `number` would round it.',
    }),
    ...schemas.map(([name, schema]) => declaration(name, typeText(schema), schema)),
    declaration('ListQuery', typeText(listQuery()), { description: 'Which pets to list.' }),
  ].join('')
}

const declaration = (name: string, type: string, schema: Json = {}): string =>
  `${commentOf(schema)}export type ${name} = ${type};\n`

/** All that a list can be asked for, but for the page: a client finds that by itself. */
const listQuery = (): Json => {
  const { properties, ...query } = jsonSchemaOf(contract.listPets.query)
  const { cursor, ...others } = properties as Json // JSON Schema's.
  return { ...query, properties: others }
}

/** A JSON Schema as a type of TypeScript. */
export const typeText = (schema: Json): string => {
  if (typeof schema.$ref === 'string') return schema.$ref.replace('#/components/schemas/', '')
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.format === 'int64') return 'Int64'
  const text = TEXTS[String(schema.type)]
  if (!text) throw new Error(`Write down in infra/client/declarations.ts which type has: ${JSON.stringify(schema)}`)
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
