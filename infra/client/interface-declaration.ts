import { contract } from '../../shared/contract.ts'
import { parametersOf } from '../openapi/parameters.ts'
import { componentSchemas, type Json } from '../openapi/schemas.ts'
import { typeText, wordsOf } from './type-text.ts'

/**
 * What the package has in place of shared/client/interface.ts: the same types, each written out. (TypeScript itself would
 * declare them by schemas of valibot, which the package would then need.)
 */
export const interfaceDeclaration = (): string => {
  const schemas = Object.entries(componentSchemas()) as [string, Json][] // Each of them is a JSON Schema.
  return [
    declaration('Int64', 'number | bigint', {
      description: 'an int64, exact: a `bigint` where a `number` would round it',
    }),
    ...schemas.map(([name, schema]) => declaration(name, typeText(schema), schema)),
    declaration('ListQuery', typeText(listQuery())),
  ].join('')
}

const declaration = (name: string, type: string, schema: Json = {}): string =>
  `${wordsOf(schema)}export type ${name} = ${type};\n`

/** All that a list can be asked for, but for the page: a client finds that by itself. */
const listQuery = (): Json => {
  const parameters = parametersOf(contract.listPets).filter(({ name }) => name !== 'cursor')
  return { type: 'object', properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])) }
}
