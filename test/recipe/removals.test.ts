import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyOfRepository } from './copy.ts'

/** What functions/README.md says can be deleted, and the commands that delete it. */
const [, section = ''] = readFileSync('functions/README.md', 'utf8').split(
  '### What can be deleted\n',
)
const removals = [...section.matchAll(/^([^,\n]+), [^\n]*:\n\n```sh\n(.*?)^```$/gms)].map(
  ([, what = '', command = '']) => [what, command],
)

const pathsIn = (folder: string): string[] =>
  globSync(['**', '.ci/*', '.github/**'], {
    cwd: folder,
    exclude: (name) => /(^|\/)(node_modules|cdk\.out|dist)$/.test(name),
  })

const scriptsIn = (folder: string): string[] =>
  Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).scripts)

/**
 * The paths and the scripts of this repository that a copy lacks, but that its commands or its
 * READMEs name.
 */
const staleNames = (copy: string): string[] => {
  const paths = pathsIn(copy)
  const scripts = scriptsIn(copy)
  const missingPaths = pathsIn('.').filter((path) => path.includes('/') && !paths.includes(path))
  const missingScripts = scriptsIn('.').filter((script) => !scripts.includes(script))
  const gone = [...missingPaths, ...missingScripts.map((script) => `npm run ${script}`)]

  const files = ['package.json', '.ci/run', ...paths.filter((path) => path.endsWith('.md'))]
  return files.flatMap((file) => {
    const text = readFileSync(join(copy, file), 'utf8')
    return gone.filter((name) => text.includes(name)).map((name) => `${file} names ${name}`)
  })
}

test('functions/README says how to delete seven things', () => {
  expect(removals).toHaveLength(7)
})

test.each(removals)(
  '%s can be deleted: types pass, and nothing names what is gone',
  (_, command = '') => {
    const { folder, run } = copyOfRepository()
    const before = pathsIn(folder).length

    run(command)
    run('npm run types')

    expect(pathsIn(folder).length).toBeLessThan(before)
    expect(staleNames(folder)).toEqual([])
  },
)

test('all of them can be deleted, one after the other', () => {
  const { folder, run } = copyOfRepository()

  for (const [, command = ''] of removals) run(command)
  run('npm run types && npm run lint')

  expect(staleNames(folder)).toEqual([])
})
