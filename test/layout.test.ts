import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

/** The source files of the repository, by their paths. */
const sources = globSync('{functions,shared,infra}/**/*.ts', { exclude: ['**/dist/**'] })

// `import … from 'x'`, also over several lines, `export … from 'x'`, `import 'x'` and
// `import(`x`)`.
const IMPORT = /^(?:(?:import|export|\}) .*?from |import )'([^']+)'|\bimport\([`']([^`']+)/gm

/** What a file imports: paths from the top of the repository for our files, names for packages. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, fixed, dynamic]) => fixed ?? dynamic ?? '')
    .map((name) => (name.startsWith('.') ? normalize(join(file, '..', name)) : name))

/** All imports of the files that match `pattern`, as `file > import`. */
const importsBelow = (pattern: RegExp): string[] =>
  sources
    .filter((file) => pattern.test(file))
    .flatMap((file) => importsOf(file).map((name) => `${file} > ${name}`))

test.each([
  ['functions', ['shared/']],
  ['shared', ['shared/', '@', 'valibot', 'aws-lambda', 'node:']],
  ['shared/model', ['shared/model/', 'shared/service.ts', 'valibot', 'node:crypto', 'node:http']],
  [
    'shared/data',
    [
      ...['shared/data/', 'shared/model/', 'shared/service.ts', 'shared/settings.ts'],
      ...['@aws-sdk/', 'valibot', 'node:'],
    ],
  ],
  [
    'shared/pipeline',
    [
      ...['shared/pipeline/', 'shared/data/', 'shared/model/'],
      ...['shared/contract.ts', 'shared/service.ts', 'shared/settings.ts'],
      ...['@middy/', 'aws-lambda', 'valibot', 'node:'],
    ],
  ],
  [
    'shared/pipeline/middleware',
    [
      ...[
        'shared/pipeline/middleware/',
        'shared/pipeline/entry.ts',
        'shared/pipeline/gateway-event.ts',
      ],
      ...['shared/model/', 'shared/service.ts', '@middy/', 'node:'],
    ],
  ],
  ['infra/platform', ['infra/platform/', 'shared/']],
])('files in %s import only what their layer may use', (folder, allowed) => {
  const imports = importsBelow(new RegExp(`^${folder}/`))
  const isAllowed = (each: string) => allowed.some((name) => each.includes(` > ${name}`))

  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((each) => !isAllowed(each))).toEqual([])
})

test.each([
  [
    'the AWS SDK',
    /> @(aws-sdk|smithy)\//,
    /^(shared\/data\/|infra\/((commands|local|packages)\/|stack\/release-hook\.ts))/,
  ],
  ['Middy', /> @middy\//, /^shared\/pipeline\//],
  ['CDK', /> (aws-cdk-lib|constructs)/, /^infra\/((app|stages|bundle\/bundling)\.ts|stack\/)/],
  ['a function by its name', /> functions\//, /^infra\/local\/lambda\.ts/],
])('only the places for it import %s', (_, imported, allowed) => {
  const imports = importsBelow(/^/).filter((each) => imported.test(each))

  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((each) => !allowed.test(each))).toEqual([])
})

/** The folder of the box that a file is in; `undefined` if it is in none. */
const boxOf = (file: string) => /^infra\/packages\/[^/]+\//.exec(file)?.[0]

test('a box imports nothing of ours, and others import only its index.ts', () => {
  const files = globSync('{functions,infra,shared,test}/**/*.ts', {
    exclude: ['**/node_modules/**'],
  })
  const crossing = files
    .flatMap((file) => importsOf(file).map((name) => ({ file, name })))
    .filter(
      ({ file, name }) =>
        /^(functions|infra|shared|test)\//.test(name) && boxOf(file) !== boxOf(name),
    )

  const refused = crossing.filter(
    ({ file, name }) => boxOf(file) || name !== `${boxOf(name)}index.ts`,
  )
  expect(crossing.length).toBeGreaterThan(0)
  expect(refused).toEqual([])
})

test('only the pipeline, seeds, infra and tests open a transaction: a function gets one', () => {
  const opens = (file: string) =>
    /^import \{[^}]*\brunTransaction\b[^}]*\} from/m.test(readFileSync(file, 'utf8'))

  const openers = sources.filter(opens)

  expect(openers).toContain('shared/pipeline/operation.ts')
  expect(
    openers.filter(
      (file) => !/^(infra\/|shared\/\w+\/seed\.ts|shared\/pipeline\/operation\.ts)/.test(file),
    ),
  ).toEqual([])
})

test('imports form no cycle, those of types included', () => {
  const remaining = new Map(
    sources.map((file) => [file, importsOf(file).filter((name) => sources.includes(name))]),
  )
  // Removes files that import none of the remaining files, until only cycles and what imports them
  // are left.
  for (let size = -1; size !== remaining.size; ) {
    size = remaining.size
    for (const [file, imports] of remaining)
      if (!imports.some((name) => remaining.has(name))) remaining.delete(file)
  }

  expect([...remaining.keys()]).toEqual([])
})

test('no two folders import each other, unless one contains the other', () => {
  const folders = importsBelow(/^/).map((each) => each.split(' > ').map(dirname))
  const apart = folders.filter(
    ([from, to]) => !`${from}/`.startsWith(`${to}/`) && !`${to}/`.startsWith(`${from}/`),
  )
  const pairs = new Set(apart.map((pair) => pair.join(' > ')))

  expect(pairs.size).toBeGreaterThan(0)
  expect([...pairs].filter((pair) => pairs.has(pair.split(' > ').reverse().join(' > ')))).toEqual(
    [],
  )
})

test('the top level has only the agreed files and folders', () => {
  const agreed =
    'README.md cdk.json functions infra package-lock.json package.json shared test tsconfig.json'

  const present = globSync('*').filter((name) => !['node_modules', 'cdk.out'].includes(name))

  expect(present.sort()).toEqual(agreed.split(' '))
})
