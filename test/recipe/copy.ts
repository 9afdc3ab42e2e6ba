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
import { expect } from 'vitest'

/**
 * Text for a file: all of a new one, more of a file that is a table, such as the contract, or a
 * declaration for another.
 */
export type Change = { file: string; text: string }

/**
 * The fenced blocks of a Markdown text: commands, or a change of the file that stands behind the
 * language.
 */
export const blocksOf = (markdown: string): (Change & { language: string })[] =>
  [...markdown.matchAll(/^( *)```(\S+) ?([^\n]*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', file = '', text = '']) => ({
      language,
      file,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )

/** Makes a copy of the repository, with functions that work in it. */
export const copyOfRepository = () => {
  const folder = mkdtempSync(join(tmpdir(), 'recipe-'))
  const left = ['.git', 'cdk.out', 'node_modules']
  cpSync('.', folder, { recursive: true, filter: (name) => !left.includes(basename(name)) })
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))

  const edit = (file: string, change: (text: string) => string): void => {
    const text = readFileSync(join(folder, file), 'utf8')
    expect(change(text), `The recipe changes nothing in ${file}.`).not.toBe(text)
    writeFileSync(join(folder, file), change(text))
  }

  /** Creates a file, adds entries to a table, at its start, or adds imports and replaces declarations. */
  const add = ({ file, text }: Change): void => {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    if (!existsSync(join(folder, file))) return void writeFileSync(join(folder, file), text)
    if (/^(import|export|const) /.test(text)) {
      for (const part of text.trim().split(/\n\n(?=\S)/)) {
        const [start] = /^.*?const \w+/.exec(part) ?? []
        const declared = new RegExp(`^${start}\\b.*?(?=\n(\n|export|$))`, 'ms')
        edit(file, (old) =>
          declared.test(old) ? old.replace(declared, () => part) : `${part}\n\n${old}`,
        )
      }
      return
    }
    const entries = text.replaceAll(/^(?=.)/gm, '  ')
    edit(file, (table) =>
      table.replace(
        /^export const (contract|settings|tables|collections) = \{\n/m,
        (start) => start + entries,
      ),
    )
  }

  /** Runs shell commands, without the variables of vitest. */
  const run = (commands: string): void => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME }
    const { status, stdout, stderr } = spawnSync('bash', ['-ec', commands], {
      cwd: folder,
      encoding: 'utf8',
      env,
    })
    expect(status, `${commands}\n${`${stdout}${stderr}`.slice(-20_000)}`).toBe(0)
  }

  return { folder, edit, add, run }
}
