import { execSync } from 'node:child_process'
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { contract, operationIds } from '../../shared/contract.ts'
import type { Entry } from '../../shared/pipeline/entry.ts'
import { componentSchemas, jsonSchema } from '../openapi/schemas.ts'
import { NO_PATH, operationRoutes } from './operations.ts'
import { flags } from './request.ts'

/**
 * Builds the client package in `dist`: one JavaScript file, because Node.js runs no TypeScript from
 * node_modules, and its type declarations. `npm pack` runs this as `prepack`.
 */
const build = (): void => {
  const folder = import.meta.dirname
  const dist = join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  for (const file of globSync('*.ts', { cwd: folder, exclude: ['build.ts'] }))
    cpSync(join(folder, file), join(dist, file))
  writeFileSync(join(dist, 'operations.ts'), operationsModule())
  const run = (command: string) => execSync(`${command} client.ts`, { cwd: dist, stdio: 'inherit' })
  // On a neutral platform, an import of a Node.js module fails.
  const target = '--format=esm --platform=neutral --target=es2022'
  run(`esbuild --outdir=. --bundle ${target} --log-level=warning`)
  run('tsc --ignoreConfig --declaration --emitDeclarationOnly --allowImportingTsExtensions')
}

/** `operations.ts` with literals as values, and with the types of the OpenAPI document. */
const operationsModule = (): string => {
  const schemas = Object.entries(componentSchemas())
  return [
    "import type { Route } from './request.ts'\n",
    '/** An exact int64: a `bigint` where a `number` would round it. */\nexport type Int64 = number | bigint\n',
    ...schemas.map(
      ([name, schema]) => `${describe(schema)}export type ${name} = ${typeText(schema)}\n`,
    ),
    `export type Operations = {\n${operationIds.map((id) => operationType(id, contract[id])).join('')}}\n`,
    `export const NO_PATH = ${JSON.stringify(NO_PATH)}\n`,
    `export const operationRoutes: Record<string, Route> = ${JSON.stringify(operationRoutes)}\n`,
  ].join('')
}

/** A member of the type `Operations`. No type can express the checks of a whole query. */
export const operationType = (id: string, entry: Entry): string => {
  const { summary, params, query, headers, body, success, stability, deprecated } = entry
  const parts = [params, query && v.object(query.entries), headers, body].filter(
    (schema) => schema !== undefined,
  )
  const input = parts.map((schema) => typeText(jsonSchema(schema))).join(' & ') || 'object'
  const result = 'body' in success ? typeText(jsonSchema(success.body)) : 'undefined'
  const members = [`input: ${input}`, `result: ${result}`]
  for (const flag of flags) if (entry[flag]) members.push(`${flag}: true`)
  const text = [`${summary}.`]
  if (stability) text.push(`@${stability}`)
  if (deprecated)
    text.push(`@deprecated Removed on ${deprecated.sunset.toISOString().slice(0, 10)}.`)
  return `${comment(text.join('\n'))}${id}: { ${members.join('; ')} }\n`
}

type JsonSchema = {
  $ref?: string
  type?: string
  format?: string
  maximum?: number
  enum?: unknown[]
  not?: { const: boolean }
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  anyOf?: JsonSchema[]
  description?: string
  default?: unknown
}

// A JSON Schema as a TypeScript type: `unknown` if it has none of the usual forms.
const typeText = (schema: JsonSchema): string => {
  const { $ref, type = '', format, maximum = 2 ** 63, not, items, properties, anyOf } = schema
  if ($ref) return $ref.replace('#/components/schemas/', '')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (format === 'int64' && maximum > Number.MAX_SAFE_INTEGER) return 'Int64'
  if (type === 'integer') return 'number'
  if (type === 'boolean' && not) return String(!not.const)
  if (/^(string|number|boolean|null)$/.test(type)) return type
  if (items) return `Array<${typeText(items)}>`
  if (anyOf) return anyOf.map(typeText).join(' | ')
  if (!properties) return 'unknown'
  const fields = Object.entries(properties).map(([name, field]) => {
    const separator = schema.required?.includes(name) ? ':' : '?: undefined |'
    return `${describe(field)}"${name}"${separator} ${typeText(field)}\n`
  })
  return `{\n${fields.join('')}}`
}

const describe = ({ description, default: value }: JsonSchema): string => {
  if (!description) return ''
  return comment(value === undefined ? description : `${description} Default: ${value}.`)
}

// A rule may hold the end of a comment.
const comment = (text: string): string => `/** ${text.replaceAll('*/', '*\\/')} */\n`

if (import.meta.main) build()
