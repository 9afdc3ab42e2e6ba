import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stackName, stages } from '../../infra/stages.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { ask, examples } from './scenarios.ts'
import { type Scenario, type Shell, shells, startStandIn } from './stand-in.ts'

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

/** The permissions of a procedure, as OPERATE's table has them. */
const permissionsOf = (section: string): string[] => {
  const heading = section.replace(/.*: /, '')
  const anchor = heading.toLowerCase().replaceAll(' ', '-')
  const row = operate
    .split('\n')
    .find((line) => line.startsWith('| [') && line.includes(`#${anchor}) |`))
  return Array.from(row?.matchAll(/`(\w+:[\w*]+)`/g) ?? [], ([, action = '']) => action)
}

const blocks = FILES.flatMap(blocksOf)
const sections = Map.groupBy(blocks, ([section]) => section)
const cases = Object.entries(examples).flatMap(([section, own]) =>
  own.map((example, i) => ({
    title: `${section}, block ${i + 1}`,
    code: sections.get(section)?.[i]?.[1] ?? '',
    // README names the permissions of an administrator.
    permissions: section.startsWith('infra/README.md') ? ['*'] : permissionsOf(section),
    example,
  })),
)

let standIn: Awaited<ReturnType<typeof startStandIn>>
beforeAll(async () => {
  standIn = await startStandIn()
})
afterAll(() => standIn?.stop())

const paste = (shell: Shell, code: string, scenario: Scenario) =>
  standIn.paste(shell, `${ask}\n${code}`, scenario)

test('each shell block has an example', () => {
  const counts = (of: Iterable<[string, unknown[]]>) =>
    Object.fromEntries(Array.from(of, ([section, own]) => [section, own.length]))

  expect(counts(Object.entries(examples))).toEqual(counts(sections))
})

describe.each(shells)('in %s', (shell) => {
  test.each(cases)('$title: runs with its permissions alone', async (each) => {
    const { code, permissions, example } = each

    const { calls, stderr, status } = await paste(shell, code, { ...example, permissions })

    expect({ calls, status, stderr }).toEqual({
      calls: example.calls,
      status: 0,
      stderr: expect.not.stringMatching(/error|not found|no matches|usage/i),
    })
  })

  test.each(cases.filter(({ example }) => example.needs))(
    '$title: stops at the first variable that is missing, and names it',
    async ({ code, permissions, example }) => {
      const { calls, stderr } = await paste(shell, code, { permissions })

      expect(calls).toEqual([])
      expect(stderr).toContain(`${example.needs}: `)
    },
  )

  test.each(cases.filter(({ example }) => example.calls.length > 0))(
    '$title: stops at a call that is refused',
    async ({ code, permissions, example }) => {
      for (const action of new Set(example.calls)) {
        const refusals = { [action]: 'AccessDenied' }
        const { calls, status } = await paste(shell, code, { ...example, permissions, refusals })

        expect(status, action).not.toBe(0)
        const upTo = example.calls.slice(0, example.calls.indexOf(action) + 1)
        expect(calls).toEqual(upTo)
      }
    },
  )

  test('nothing is deleted unless the answer is yes', async () => {
    const asking = cases.filter(({ example }) => example.input)

    expect(asking.length).toBeGreaterThan(0)
    for (const { code, permissions, example } of asking) {
      const { calls } = await paste(shell, code, { ...example, permissions, input: 'no\n' })
      expect(calls).toEqual([])
    }
  })

  test.each([
    [
      'exists again',
      { 'dynamodb:PutItem': 'ConditionalCheckFailedException' },
      [{ id: { N: '7' } }],
    ],
    ['did not exist at that second', {}, [undefined]],
  ])('a pet that %s is not brought back', async (_, refusals, items) => {
    const [, put] = cases.filter(({ title }) => title.includes('Bring one pet back'))
    if (!put) throw new Error('No block brings a pet back.')
    const responses = { 'dynamodb:GetItem': items.map((Item) => ({ Item })) }

    const scenario = { ...put.example, permissions: put.permissions, refusals, responses }
    const { status, stderr, calls } = await paste(shell, put.code, scenario)

    expect(status).not.toBe(0)
    expect(stderr).toMatch(/ConditionalCheckFailed|--item/)
    expect(calls).toEqual(['dynamodb:GetItem', 'dynamodb:PutItem'].slice(0, items[0] ? 2 : 1))
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
