import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { operationIds } from '../../../shared/contract.ts'
import { makeBundles } from '../../support/bundles.ts'
import { bytesByPackage } from './bytes-by-package.ts'

/** What is in the bundles that are deployed, by package: a table for each of their files, a column for each function. */
export const explainBundles = async (): Promise<string> => {
  const bundles = makeBundles()
  return explain(operationIds.map((name) => ({ name, folder: bundles.folderOf(name) })))
}

/** A function, and the folder in which its bundle is. */
export type Bundled = { name: string; folder: string }

/** The same of these functions. */
export const explain = (functions: Bundled[]): string => {
  const files = new Set(functions.flatMap(({ folder: cwd }) => globSync('**/*.{js,cjs,mjs}', { cwd })))
  const tables = [...files].sort().map((file) => {
    const having = functions.filter(({ folder }) => existsSync(join(folder, file)))
    return table(file, having)
  })
  return tables.join('\n')
}

const table = (file: string, functions: Bundled[]): string => {
  const columns = functions.map(({ folder }) => bytesByPackage(join(folder, file)))
  const names = new Set(columns.flatMap((bytes) => [...bytes.keys()]))
  const rows = [...names].map((name) => ({ name, bytes: columns.map((bytes) => bytes.get(name) ?? 0) }))
  rows.sort((a, b) => Math.max(...b.bytes) - Math.max(...a.bytes))
  const all = { name: 'all of it', bytes: columns.map((bytes) => sum([...bytes.values()])) }
  const heading = functions.map(({ name }) => name)
  const figures = [...rows, all].map(({ name, bytes }) => line(name, bytes.map(inThousands)))
  return [line(`${file}, bytes`, heading), ...figures, ''].join('\n')
}

const sum = (bytes: number[]): number => bytes.reduce((total, each) => total + each, 0)

const line = (first: string, rest: string[]): string =>
  first.padEnd(40) + rest.map((each) => each.padStart(12)).join('')

const inThousands = (bytes: number): string => bytes.toLocaleString('en')
