import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { contract } from '../../shared/contract.ts'
import { componentSchemas, type Json, jsonSchemaOf } from '../openapi/schemas.ts'

const client = fileURLToPath(new URL('../../shared/client/', import.meta.url))

/**
 * Builds the client package in `shared/client/dist`: one JavaScript file, because Node.js runs no TypeScript from
 * node_modules, and its type declarations. `npm pack` runs this as `prepack`.
 */
const build = (): void => {
  const dist = join(client, 'dist')
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist)
  buildSync({
    entryPoints: [join(client, 'client.ts')],
    outfile: join(dist, 'client.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral', // An import of a Node.js module fails.
    target: 'es2022',
  })
  for (const [name, text] of Object.entries(declarations())) writeFileSync(join(dist, `${name}.d.ts`), text)
}

const declarations = (): Record<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-client-'))
  const project = fileURLToPath(new URL('tsconfig.json', import.meta.url))
  const declarationOf = (name: string) =>
    readFileSync(join(folder, 'client', `${name}.d.ts`), 'utf8').replaceAll(/( from '\.\/[\w-]+)\.ts'/g, "$1.js'")
  try {
    execFileSync('tsc', ['--project', project, '--outDir', folder], { stdio: 'inherit' })
    return {
      client: declarationOf('client'),
      'pet-store-error': declarationOf('pet-store-error'),
      interface: interfaceDeclaration(),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * The types of `shared/client/interface.ts`, written out from the OpenAPI document. TypeScript itself would declare them
 * with types of valibot, and the package would depend on it.
 */
const interfaceDeclaration = (): string => {
  const schemas = Object.entries(componentSchemas()) as [string, Json][] // Each of them is a JSON Schema.
  return [
    declaration('Int64', 'number | bigint', {
      description: 'An exact int64: a `bigint` where a `number` would round it.',
    }),
    ...schemas.map(([name, schema]) => declaration(name, typeText(schema), schema)),
    declaration('ListQuery', typeText(listQuery()), { description: 'Which pets to list.' }),
  ].join('')
}

/**
 * A JSON Schema as a TypeScript type.
 *
 * @throws Error if a type is not supported yet
 */
export const typeText = (schema: Json): string => {
  if (typeof schema.$ref === 'string') return schema.$ref.replace('#/components/schemas/', '')
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.format === 'int64') return 'Int64'
  const text = typeTexts[String(schema.type)]
  if (!text) throw new Error(`Add to infra/client/build.ts the TypeScript type of ${JSON.stringify(schema)}`)
  return text(schema)
}

const typeTexts: Record<string, (schema: Json) => string> = {
  string: () => 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  array: ({ items }) => `Array<${typeText(items as Json)}>`, // The casts here follow from JSON Schema.
  object: ({ properties, required = [] }) => {
    const fields = Object.entries(properties as Record<string, Json>)
    return `{\n${fields.map(([name, schema]) => field(name, schema, required as string[])).join('')}}`
  },
}

const field = (name: string, schema: Json, required: string[]): string => {
  const type = required.includes(name) ? `: ${typeText(schema)}` : `?: ${typeText(schema)} | undefined`
  return `${commentOf(schema)}${JSON.stringify(name)}${type};\n`
}

const declaration = (name: string, type: string, schema: Json): string =>
  `${commentOf(schema)}export type ${name} = ${type};\n`

const commentOf = ({ description }: Json): string => (description ? `/** ${description} */\n` : '')

// Without `cursor`: the client finds the next page by itself.
const listQuery = (): Json => {
  const { properties, ...query } = jsonSchemaOf(contract.listPets.query)
  const { cursor, ...others } = properties as Json
  return { ...query, properties: others }
}

if (import.meta.main) build()
