import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

const readme = readFileSync('functions/README.md', 'utf8')

/** The fenced blocks of a section: commands, or code for the file behind the language. */
const blocksOf = (title: string) => {
  const [section = ''] = readme.split(`## ${title}\n`)[1]?.split('\n## ') ?? []
  const blocks = section.matchAll(/^( *)```(\w+) ?([^\n]*)\n(.*?)^\1```$/gms)
  return Array.from(blocks, ([, indent = '', language = '', file = '', text = '']) => ({
    language,
    file,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

const copy = mkdtempSync(join(tmpdir(), 'recipe-'))

const edit = (file: string, change: (text: string) => string): void => {
  const text = readFileSync(join(copy, file), 'utf8')
  expect(change(text), `The README changes nothing in ${file}.`).not.toBe(text)
  writeFileSync(join(copy, file), change(text))
}

/** Files that a block has whole. */
const created: string[] = []

/** Creates a file, or adds each part of the code to it. */
const add = ({ file, text }: { file: string; text: string }): void => {
  mkdirSync(join(copy, dirname(file)), { recursive: true })
  if (!existsSync(join(copy, file))) {
    created.push(file)
    writeFileSync(join(copy, file), text)
    return
  }
  for (const part of text.trim().split(/\n\n(?=\S)/)) edit(file, (old) => withPart(old, part))
}

/** A file with an import more, another declaration, or more or other entries of its table. */
const withPart = (text: string, part: string): string => {
  if (part.startsWith('import ')) return `${part}\n${text}`
  const [start] = /^export const \w+/.exec(part) ?? []
  if (start) return text.replace(new RegExp(`^${start}\\b.*?(?=\n(\n|export|$))`, 'ms'), () => part)
  const [name] = /^\w+:/.exec(part) ?? []
  const others = text.replace(new RegExp(`^  ${name} .*\n`, 'm'), '')
  return others.replace(
    /^(export )?const (contract|collections|filters|tables|fields)\b.* = \{\n/m,
    (table) => `${table}${part}\n`,
  )
}

const run = (commands: string): void => {
  const { PATH, HOME } = process.env
  const options = { cwd: copy, encoding: 'utf8', env: { PATH, HOME } } as const
  const { status, stdout, stderr } = spawnSync('bash', ['-ec', commands], options)
  expect(status, `${commands}\n${`${stdout}${stderr}`.slice(-20_000)}`).toBe(0)
}

beforeAll(() => {
  const left = ['.git', 'cdk.out', 'node_modules']
  cpSync('.', copy, { recursive: true, filter: (name) => !left.includes(basename(name)) })
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'))
})

test('the checks pass after the examples of functions/README were carried out', () => {
  for (const title of ['To extend it', 'Proving a rule'])
    for (const block of blocksOf(title)) if (block.file) add(block)
  edit('shared/contract.ts', (text) => text.replace(/^ {2}getPet: \{\n.*?^ {2}\},\n/ms, ''))
  for (const { text } of blocksOf('Removing an operation')) run(text)
  // Its example names the files that it has removed.
  edit('functions/README.md', (text) => text.replace(/^rm functions\/.*\n/m, ''))

  run(`npx biome check --error-on-warnings ${created.join(' ')}`)
  run('npm run format')
  run('npm test -- test/infra/openapi test/infra/stack --update')
  run('npm run check')
})
