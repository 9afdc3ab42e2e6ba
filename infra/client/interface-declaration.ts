import { contract } from '../../shared/contract.ts'
import { componentSchemas, type Json, jsonSchemaOf } from '../openapi/schemas.ts'
import { commentOf, typeText } from './type-text.ts'

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
    declaration('ListQuery', typeText(listQuery()), { description: 'Which animals to list.' }),
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
