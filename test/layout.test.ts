import { globSync, readFileSync } from 'node:fs'
import { basename, join, normalize } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, test } from 'vitest'
import { operationIds } from '../shared/contract.ts'

const files = globSync('{functions,shared,infra}/**/*.ts', { exclude: ['shared/client/dist/**'] })

/** What a file imports: paths from the top of the repository for files of ours, names for packages. */
const importsOf = (file: string): string[] => {
  const imports = readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"`]([^'"`]+)['"`]/g)
  return [...imports].map(([, name = '']) => (name.startsWith('.') ? normalize(join(file, '..', name)) : name))
}

const importsBelow = (folder: RegExp): string[] =>
  files
    .filter((file) => folder.test(file))
    .flatMap((file) => importsOf(file).map((imported) => `${file} > ${imported}`))

test('each operation of the contract has a function, and each function is an operation', () => {
  const functions = globSync('functions/*').map((file) => basename(file, '.ts'))

  expect(functions.sort()).toEqual(operationIds.toSorted())
})

test.each([
  ['functions take from shared alone', /^functions\//, /> (shared\/|$)/],
  ['the model knows nothing but itself', /^shared\/model\//, /> (shared\/model\/|valibot$|node:crypto$)/],
  ['the data knows the model and DynamoDB', /^shared\/data\//, /> (shared\/(model|data)\/|@aws-sdk\/|node:)/],
  [
    'a middleware does not know DynamoDB, nor the operations',
    /^shared\/middleware\//,
    /> (shared\/(model|middleware)\/|shared\/(contract|http|source-lines)\.ts|@middy\/|aws-lambda$)/,
  ],
  [
    'the client knows its own files, and the types of the interface',
    /^shared\/client\//,
    / > shared\/(client\/|contract|model\/)/,
  ],
  ['shared knows nothing of what is around it', /^shared\//, /> (shared\/|@|valibot$|aws-lambda$|node:)/],
])('%s', (_, folder, allowed) => {
  const imports = importsBelow(folder)

  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((each) => !allowed.test(each))).toEqual([])
})

test.each([
  ['the AWS SDK', /> @(aws-sdk|smithy)\//, /^(shared\/data|infra\/(bundle|keys|local))\//],
  ['Middy', /> @middy\//, /^shared\/((operation|http)\.ts|middleware\/)/],
  ['CDK', /> (aws-cdk-lib|constructs)/, /^infra\/(?!local\/)/],
  ['the client', / > shared\/client\//, /^shared\/client\//],
  ['the functions by name', /> functions\//, /^infra\/local\/main\.ts/],
])('only where it belongs is %s imported', (_, imported, allowed) => {
  const imports = importsBelow(/^/).filter((each) => imported.test(each))

  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((each) => !allowed.test(each))).toEqual([])
})

test('imports form no cycle, those of types included', () => {
  const importedBy = new Map(files.map((file) => [file, importsOf(file).filter((name) => files.includes(name))]))
  // A file that imports only files without a cycle is in none itself.
  for (let size = -1; size !== importedBy.size; ) {
    size = importedBy.size
    for (const [file, imports] of importedBy) if (!imports.some((name) => importedBy.has(name))) importedBy.delete(file)
  }

  expect([...importedBy.keys()]).toEqual([])
})

test('the client takes nothing but types from what runs in a function', () => {
  const bundle = buildSync({ entryPoints: ['shared/client/client.ts'], bundle: true, write: false, metafile: true })

  const sources = Object.entries(bundle.metafile.inputs)
  expect(sources.filter(([file]) => !file.startsWith('shared/client/'))).toEqual([])
})

test('nothing stands at the top level but what every reader finds there', () => {
  const expected = [
    'README.md',
    'cdk.json',
    'functions',
    'infra',
    'package-lock.json',
    'package.json',
    'shared',
    'test',
    'tsconfig.json',
  ]

  const present = globSync('*').filter((name) => !['node_modules', 'cdk.out'].includes(name) && !name.endsWith('.tgz'))

  expect(present.sort()).toEqual(expected)
})
