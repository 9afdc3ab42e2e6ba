import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stackName, stages } from '../../infra/stages.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { ask, examples, pets } from './scenarios.ts'
import { type Scenario, shells, startStandIn } from './stand-in.ts'

const FILES = ['infra/OPERATE.md', 'infra/README.md']

/** The shell blocks of a file, by file and section. */
const blocksOf = (file: string): [string, string][] =>
  readFileSync(file, 'utf8')
    .split(/^(?=##+ )/m)
    .flatMap((section) => {
      const heading = /^#+ (.*)/.exec(section)?.[1] ?? ''
      const blocks = section.matchAll(/^( *)```sh\n(.*?)^\1```$/gms)
      return Array.from(blocks, ([, indent = '', code = '']): [string, string] => [
        `${file}: ${heading}`,
        code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      ])
    })

const operate = readFileSync('infra/OPERATE.md', 'utf8')

/** The permissions of a procedure, as OPERATE has them below its heading. */
const permissionsOf = (section: string): string[] => {
  const [, below = ''] = operate.split(`\n### ${section.replace(/.*: /, '')}\n\n`)
  const [paragraph = ''] = below.split('\n\n')
  return paragraph.match(/\w+:[\w*]+/g) ?? []
}

const blocks = FILES.flatMap(blocksOf)
const sections = Map.groupBy(blocks, ([section]) => section)
const cases = Object.entries(examples).flatMap(([section, own]) => {
  // README names the permissions of an administrator.
  const permissions = section.startsWith('infra/README.md') ? ['*'] : permissionsOf(section)
  return own.map((example, i) => ({
    title: `${section}, block ${i + 1}`,
    code: sections.get(section)?.[i]?.[1] ?? '',
    example: { ...example, permissions },
  }))
})

let standIn: Awaited<ReturnType<typeof startStandIn>>
beforeAll(async () => {
  standIn = await startStandIn()
})
afterAll(() => standIn?.stop())

test('each shell block has an example', () => {
  const counts = (of: Iterable<[string, unknown[]]>) =>
    Object.fromEntries(Array.from(of, ([section, own]) => [section, own.length]))

  expect(counts(Object.entries(examples))).toEqual(counts(sections))
})

describe.each(shells)('in %s', (shell) => {
  const paste = (code: string, scenario: Scenario) =>
    standIn.paste(shell, `${ask}\n${code}`, scenario)

  test.each(cases)(
    '$title: runs with its permissions alone, and again after any call was refused',
    async ({ code, example }) => {
      const { calls, made, stderr, status } = await paste(code, example)
      const runTwice = async (action: string, refused: number) => {
        const first = await paste(code, { ...example, refused })
        const again = await paste(code, { ...example, made: first.made })

        expect(first.status, action).not.toBe(0)
        const later = first.calls.slice(refused + 1)
        expect(later.filter((call) => !call.includes(':Describe'))).toEqual([])
        expect(again).toMatchObject({ status: 0, made })
      }

      expect({ calls, status, stderr }).toEqual({
        calls: example.calls,
        status: 0,
        stderr: expect.not.stringMatching(/error|not found|no matches|usage/i),
      })
      await Promise.all(calls.map(runTwice))
    },
  )

  test.each(cases.filter(({ example }) => example.variables))(
    '$title: stops at each variable that is missing, and names it',
    async ({ code, example }) => {
      const { calls } = await paste(code, { permissions: ['*'] })
      expect(calls).toEqual([])

      for (const name of Object.keys(example.variables ?? {})) {
        const variables = { ...example.variables, [name]: undefined }
        const { status, stderr } = await paste(code, { ...example, variables })
        expect(status, name).not.toBe(0)
        expect(stderr).toContain(`${name}: `)
      }
    },
  )

  test('nothing is deleted unless the answer is yes', async () => {
    const asking = cases.filter(({ example }) => example.input)

    expect(asking.length).toBeGreaterThan(0)
    for (const { code, example } of asking) {
      const { calls } = await paste(code, { ...example, input: 'no\n' })
      expect(calls).toEqual([])
    }
  })

  test.each([
    ['exists again', { made: [`pet in ${pets}`] }],
    ['did not exist at that second', { responses: {} }],
  ])('a pet that %s is not brought back', async (_, change) => {
    const [, put] = cases.filter(({ title }) => title.includes('Bring one pet back'))
    if (!put) throw new Error('No block brings a pet back.')

    const { status, stderr, made } = await paste(put.code, { ...put.example, ...change })

    expect(status).not.toBe(0)
    expect(stderr).toMatch(/ConditionalCheckFailed|--item/)
    expect(made).toEqual(Object(change).made ?? [])
  })
})

test.each(Object.values(stages))('OPERATE sets the variables of $name', (stage) => {
  const variables = `stack=${stackName(stage)} stage=${stage.name} days=${stage.recoveryDays}`
  const protection = stage.deletionProtection ? '' : 'no-'

  expect(operate).toContain(`${variables} protection=--${protection}deletion-protection-enabled`)
})

test('the pattern for secret scanners finds the keys of stages', () => {
  const [, pattern = ''] = /`(pet_\(.*?)`/.exec(operate) ?? []
  const keys = Object.values(stages).map(({ keyPrefix }) => newApiKey(keyPrefix))

  for (const key of keys) expect(new RegExp(pattern).exec(`x ${key} y`)?.[0]).toBe(key)
})
