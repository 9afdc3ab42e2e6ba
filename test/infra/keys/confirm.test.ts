import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { confirm } from '../../../infra/keys/actions.ts'

/** A terminal at which somebody types once they are asked. */
const ask = async (type: (input: PassThrough) => void) => {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const output = new PassThrough()
  const confirmed = confirm('Revoke key_1?', input, output)
  const [asked] = await Promise.all([once(output, 'data'), confirmed.catch(() => {}), type(input)])
  expect(String(asked)).toBe('Revoke key_1? [y/N] ')
  return confirmed
}

test.each(['y', 'Y', 'yes', ' y '])('goes on at "%s"', async (answer) => {
  await expect(ask((input) => input.write(`${answer}\n`))).resolves.toBeUndefined()
})

test.each(['', 'n', 'no', 'yep', 'j'])('stops at "%s"', async (answer) => {
  const asked = ask((input) => input.write(`${answer}\n`))

  await expect(asked).rejects.toThrow(new CommandError('Nothing was revoked.'))
})

test('stops where the terminal goes away', async () => {
  const asked = ask((input) => input.end())

  await expect(asked).rejects.toThrow(new CommandError('Nothing was revoked.'))
})

test('asks nobody where there is no terminal', async () => {
  const line = 'Nobody is there to ask. Say --yes to revoke without asking.'
  await expect(confirm('Revoke key_1?', new PassThrough())).rejects.toThrow(new CommandError(line))
})
