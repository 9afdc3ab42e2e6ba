import { expect, test } from 'vitest'
import { failure, runCommand } from './run-command.ts'

test('prints a refusal as one line', async () => {
  expect(await runCommand('keys', ['delete'])).toEqual(
    failure('There is no command "delete". Take issue, list, rotate or revoke. See npm run keys -- --help'),
  )
})

test('prints its help', async () => {
  const { code, stdout, stderr } = await runCommand('keys', ['--help'])

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const word of ['issue', 'list', 'rotate', 'revoke', '--stage', '--prefix', '--grace', '--json'])
    expect(stdout).toContain(word)
})
