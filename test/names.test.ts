import { globSync, readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../infra/local/database/credentials.ts'
import { operationIds } from '../shared/contract.ts'
import { collections, service } from '../shared/service.ts'
import { example } from './support/example.ts'

// What cannot follow from shared/service.ts and the contract by itself is compared with them here.

const { name, title, stack, keyIssuer, basePath } = service

const readme = readFileSync('README.md', 'utf8')
const [titleNow = title] = /(?<=^# ).+$/m.exec(readme) ?? []
const [pathNow = basePath] = /(?<=^API=http:.+:3000)\/[\w-]+$/m.exec(readme) ?? []

/** How files say a name, and what each has to be. */
const names: [RegExp | string, string][] = [
  [/\b[a-z]+_local_\w{38}\b/g, LOCAL_API_KEY],
  [/\b[a-z]+(?=_(live|test|local)_…)/g, keyIssuer],
  [/\b(Blue)?(?!Staging\b)[A-Z]\w*?(?=(Staging|Production|GitHub)\b|Local-)/g, `$1${stack}`],
  [/(?<=^(\{|\{[^{]+\{\n {4}"": \{)\n +"name": ")[\w-]+?(?=(-bench-peers)?")/g, name],
  [
    /(?<=npm install \.\/)\S+(?=-\d)|(?<=createClient.* from ')[\w-]+|(?<=Key=service,Value=)[\w-]+/g,
    name,
  ],
  [/(?<=Production-Storage)[a-z]\w*(?=-restored)|(?<=`adopt: \{ )\w+/g, example.table],
  [titleNow, title],
  [new RegExp(`(?<=:3000|example\\.com|[\`" ])${pathNow}(?=[^\\w-])`, 'g'), basePath],
  [/(?<="stage": ")[\w-]+(?=",\n {4}"domainPrefix")/g, basePath.slice(1)],
]

const files = globSync(['*.{json,md}', '.github/**', '{functions,infra,shared,test}/**'], {
  exclude: ['**/node_modules/**', '**/dist/**'],
}).filter((file) => /\.(ts|[cm]js|json|ya?ml|md|py)$/.test(file))

const texts = files.map((file) => {
  const text = readFileSync(file, 'utf8')
  // A source takes the names from shared/service.ts, and what is reviewed follows from it.
  if (/\.ts$|^test\/infra\/.+json$/.test(file)) return { file, text, expected: text }
  return {
    file,
    text,
    expected: names.reduce((rest, [said, right]) => rest.replaceAll(said, right), text),
  }
})

test('files say the names in shared/service.ts; to write them there, run this test with --update', async () => {
  const wrong: string[] = []

  // The message of the matcher would show API keys.
  for (const { file, expected } of texts.filter(({ text, expected }) => text !== expected))
    await expect(expected)
      .toMatchFileSnapshot(resolve(file))
      .catch(() => wrong.push(file))

  expect(wrong).toEqual([])
})

const kebab = (id: string): string =>
  id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const resources = Object.keys(collections).join('|')
/** An operation may have the name of a common word, such as `book`. */
const operations = ['(?!)', ...operationIds.filter((id) => /[A-Z]/.test(id))].join('|')

/** Words of HTTP, such as that of a 402, are no words of a resource. */
const ofHttp = new RegExp(Object.values(STATUS_CODES).join('|').replaceAll(' ', '[ _]?'), 'gi')

/** The places that may say the words of the resources. All others work with any resource. */
const places = [
  /\.md$|package(-lock)?\.json$/,
  /^functions\//,
  /^shared\/(contract|examples|resources|service|texts)\.ts$/,
  new RegExp(`^(shared|test/shared)/(${resources})/`),
  new RegExp(`^test/api/(${resources}|${operationIds.map(kebab).join('|')})\\.test\\.ts$`),
  new RegExp(`^test/faults/(${resources})\\.test\\.ts$`),
  /^test\/(functions|events|recipe)\//,
  /^test\/support\/example\.ts$/,
  /^test\/infra\/(openapi|stack)\/reviewed\.json$/,
]

test('only the places of the resources say their words, their operations and their paths', () => {
  // Words of prose, of camelCase and of snake_case, and their plurals.
  const words = example.words.flatMap((word) => {
    const either = word.replace(/y$/, '(y|ie)')
    const capital = either.replace(/^./, (letter) => letter.toUpperCase())
    return [
      `(?<![a-z])${either}(e?s)?(?![a-z])`,
      `${capital}(e?s)?(?![a-z])`,
      `(?<![A-Z])${either.toUpperCase()}(E?S)?(?![A-Z])`,
    ]
  })
  const pattern = new RegExp(
    `\\w*(${words.join('|')})\\w*|\\b(${operations})\\b|(?<=['"\`}])/(${resources})\\b`,
    'g',
  )
  // A source takes the names of the service from shared/service.ts. Other files have to repeat
  // them.
  const ofService = new RegExp(`${name}|${stack}|${title}`, 'g')

  const others = texts.filter(({ file }) => !places.some((place) => place.test(file)))
  const found = others.flatMap(({ file, expected }) => {
    const own = /\.[cm]?[jt]s$/.test(file) ? expected : expected.replaceAll(ofService, '')
    return (own.replaceAll(ofHttp, '').match(pattern) ?? []).map((word) => `${file}: ${word}`)
  })
  expect(others.length).toBeGreaterThan(100)
  expect([...new Set(found)]).toEqual([])
})
