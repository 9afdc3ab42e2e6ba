import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, leastEnvironment, startServer } from './support/server.ts'

type Block = { readme: string; language: string; info: string; code: string; output: string }

/**
 * The fenced blocks of a README. `output` is the block that follows directly, if it shows what is
 * printed.
 */
const blocksOf = (readme: string): Block[] => {
  const text = readFileSync(readme, 'utf8')
  const blocks = text.matchAll(
    /^( *)```(\w*) ?([^\n]*)\n(.*?)^\1```$(?=(?:\n+\1```(?:json|http|text)\n(.*?)^\1```$)?)/gms,
  )
  return [...blocks].map(([, indent = '', language = '', info = '', code = '', output = '']) => ({
    readme,
    language,
    info,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    output,
  }))
}

const readmes = globSync(
  [
    'README.md',
    '{functions,shared,test}/**/README.md',
    'infra/**/{README,OPERATE,LIMITS}.md',
    '.github/*.md',
  ],
  {
    exclude: ['**/node_modules/**'],
  },
)
const blocks = readmes.flatMap(blocksOf)
const commands = blocks.filter(({ language }) => ['sh', 'bash', 'console'].includes(language))
const nameOf = ({ readme, code }: Block): string => `${readme}: ${code.split('\n')[0]}`
// Requests alone, so that no block of another kind deploys or deletes anything here before somebody
// has thought of it.
const run = commands.filter(({ code }) => /^(api|curl) /m.test(code) || code.startsWith('API='))

let server: LocalServer
const printed = new Map<Block, { status: string; text: string }>()

// The blocks of a README run in one shell, verbatim, because the later ones use variables of the
// earlier ones.
beforeAll(async () => {
  server = await startServer([])
  const CURL = fileURLToPath(new URL('support/curl.ts', import.meta.url))
  const variables = { NODE: process.execPath, CURL, SERVER: new URL(server.baseUrl).host }
  for (const readme of readmes) {
    const own = run.filter((block) => block.readme === readme)
    const input = [
      'curl() { "$NODE" "$CURL" "$@"; }\n',
      ...own.map(({ code }) => `${code}\necho "<status $?>"\n`),
    ].join('')
    const env = { ...leastEnvironment, ...variables }
    const { stdout, stderr } = spawnSync('bash', { input, env, encoding: 'utf8' })
    expect(stderr).toBe('')
    const outputs = [...stdout.matchAll(/(.*?)<status (\d+)>\n/gs)]
    for (const [i, [, text = '', status = '']] of outputs.entries())
      if (own[i]) printed.set(own[i], { status, text })
  }
})
afterAll(() => server.stop())

/** The lines of a text, without what differs from run to run. */
const linesOf = (text: string): string[] =>
  text
    .replaceAll(/\b\d{15}\b/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'time')
    .replaceAll(/cursor=[\w-]+/g, 'cursor')
    .split(/\r?\n/)
    .filter(Boolean)

test.each(run.map((block) => [nameOf(block), block] as const))(
  'a shell takes the block as it is, and prints what the README shows: %s',
  (_, block) => {
    const { status, text } = printed.get(block) ?? {}

    expect(status).toBe('0')
    expect(linesOf(text ?? '')).toEqual(expect.arrayContaining(linesOf(block.output)))
  },
)

// A name or a pattern, and none of another place (`~/test/…`).
const FILE = /(?<![\w./<>~-])(?:functions|shared|infra|test|\.ci|\.github)\/[\w./*{},-]*[\w*}]/g

test.each(readmes)('%s names only files that exist, besides those that it adds', (readme) => {
  const text = readFileSync(readme, 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, name = '']) =>
    join(dirname(readme), name),
  )
  const names = text.replaceAll(/\[[^\]]*\]\(/g, '](').match(FILE) ?? []

  const added = blocks.map(({ info }) => info)
  const missing = [...links, ...names].filter((name) => globSync(name).length === 0)
  expect(missing.filter((name) => !added.includes(name))).toEqual([])
})

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const commandSources = globSync('{infra,test}/**/*.ts', { exclude: ['**/node_modules/**'] })
const options = commandSources.flatMap((file) =>
  Array.from(readFileSync(file, 'utf8').matchAll(/ption\(\s*'(--[\w-]+)/g), ([, option]) => option),
)

test.each(readmes)('%s names only scripts, options and events that exist', (readme) => {
  const text = readFileSync(readme, 'utf8')
  const named = Array.from(text.matchAll(/\bnpm run (?:-s )?([\w:]+)/g), ([, name = '']) => name)
  const calls = text.match(/\bnpm (run [\w:]+|start) -- [^`\n]*/g) ?? []
  const given = calls.flatMap((call) => call.match(/(?<= )--[a-z][\w-]*/g) ?? [])
  const events = Array.from(text.matchAll(/\bnpm run invoke -- ([\w-]+)/g), ([, name]) => name)

  expect(named.filter((name) => !(name in scripts))).toEqual([])
  expect(given.filter((option) => option !== '--help' && !options.includes(option))).toEqual([])
  expect(events.filter((name) => !existsSync(`test/events/${name}.json`))).toEqual([])
})

/** The anchors of the headings of a file, as GitHub makes them. */
const anchorsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

test.each(readmes)('%s links only to headings that exist', (readme) => {
  const links = [...readFileSync(readme, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]

  const broken = links.filter(([, file, anchor = '']) => {
    const target = file ? join(dirname(readme), file) : readme
    return !anchorsOf(target).includes(anchor)
  })
  expect(broken.map(([link]) => link)).toEqual([])
})

test('README shows what npm start prints', () => {
  const shown = blocks.find(({ readme, language }) => readme === 'README.md' && language === 'text')
  const withoutPorts = (text: string) => linesOf(text.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, ''))

  expect(withoutPorts(server.output())).toEqual(
    expect.arrayContaining(withoutPorts(shown?.code ?? 'nothing')),
  )
})

const code = blocks.filter(({ readme, info }) => readme === 'README.md' && info)

test.each(code.map((block) => [block.info, block.code]))(
  'README shows code of %s',
  (file, code) => {
    const withoutIndent = (text: string) => text.replaceAll(/^ +/gm, '')

    expect(withoutIndent(readFileSync(file, 'utf8'))).toContain(withoutIndent(code))
  },
)
