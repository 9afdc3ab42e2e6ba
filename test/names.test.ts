import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../infra/local/credentials.ts'
import { operationIds } from '../shared/contract.ts'
import { collections, service } from '../shared/service.ts'
import { example } from './support/example.ts'

// What cannot follow from shared/service.ts and the contract by itself is compared with them here.

const { name, title, stack, keyIssuer } = service

const texts = globSync(['*.{json,md}', '.github/**', '{functions,infra,shared,test}/**'], {
  exclude: ['**/node_modules/**', '**/dist/**'],
})
  .filter((file) => /\.(ts|[cm]js|json|ya?ml|md|py)$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))

test.each([
  [
    'an API key, or of a placeholder such as <issuer>_live_…,',
    /\b[a-z]+_(live|test|local)_[\w…]+/g,
    new RegExp(`^(${LOCAL_API_KEY}|${keyIssuer}_(live|test|local)_…)$`),
  ],
  [
    'a stack or a table',
    /\b[A-Z]\w*(Staging|Production|GitHub)\b|\b[A-Z]\w*Local(?=-)/g,
    new RegExp(`^(Blue)?(${stack}|Staging$)`),
  ],
  [
    'a package, or of a tag in AWS,',
    /(?<=^\{\n {2}"name": ")[\w-]+|(?<=npm install \.\/)\S+(?=-\d)|(?<=createClient.* from ')[\w-]+|(?<=Key=service,Value=)[\w-]+/g,
    new RegExp(`^${name}(-bench-peers)?$`),
  ],
])('each name of %s is that of this service', (_, pattern, expected) => {
  const names = texts.flatMap(({ file, text }) => (text.match(pattern) ?? []).map((word) => ({ file, word })))

  expect(names.length).toBeGreaterThan(0)
  const wrong = names.filter(({ word }) => !expected.test(word))
  // All of a key would look like a printed secret.
  expect([
    ...new Set(wrong.map(({ file, word }) => `${file}: ${word.replace(/(?<=_\w{4})[0-9A-Za-z]{20,}/, '…')}`)),
  ]).toEqual([])
})

test.each([
  'README.md',
  'infra/README.md',
  'infra/client/README.md',
  'infra/client/package.json',
  'infra/github/deploy-role.yaml',
])(`%s says the title of this service: ${title}`, (file) => {
  expect(readFileSync(file, 'utf8')).toContain(title)
})

const kebab = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const resources = Object.keys(collections).join('|')

/** The places that may say the words of the resources. All others work with any resource. */
const places = [
  /\.md$|^(infra\/client\/)?package\.json$/,
  /^functions\//,
  /^shared\/(contract|examples|resources|service|texts)\.ts$/,
  new RegExp(`^(shared|test/shared)/(${resources})/`),
  new RegExp(`^test/api/(${resources}|${operationIds.map(kebab).join('|')})\\.test\\.ts$`),
  new RegExp(`^test/faults/(${resources})\\.test\\.ts$`),
  /^test\/(functions|events|recipe|bench\/peers)\//,
  /^infra\/commands\/smoke\.ts$/,
  /^test\/support\/example\.ts$/,
  /^test\/infra\/(openapi|stack)\/reviewed\.json$/,
]

test('only the places of the resources say their words, their operations and their paths', () => {
  const words = example.words.flatMap((word) => [
    `(?<![a-z])${word}`,
    word.replace(/^./, (letter) => letter.toUpperCase()),
    word.toUpperCase(),
  ])
  const pattern = new RegExp(`\\w*(${words.join('|')})\\w*|\\b(${operationIds.join('|')})\\b|/(${resources})\\b`, 'g')
  // A source takes the names of the service from shared/service.ts. Other files have to repeat them.
  const ofService = new RegExp(`${name}|${stack}|${title}`, 'g')

  const others = texts.filter(({ file }) => !places.some((place) => place.test(file)))
  const found = others.flatMap(({ file, text }) => {
    const own = /\.[cm]?[jt]s$/.test(file) ? text : text.replaceAll(ofService, '')
    return (own.match(pattern) ?? []).map((word) => `${file}: ${word}`)
  })
  expect(others.length).toBeGreaterThan(100)
  expect([...new Set(found)]).toEqual([])
})
