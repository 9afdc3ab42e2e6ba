import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { env, storedItems } from '../keys/local-stage.ts'
import { runCommand, startCommand } from '../keys/run-command.ts'

/** Starts something that is not the API, and tells its address. */
const startOther = async (answer: Parameters<typeof createServer>[1]) => {
  const other = createServer({}, answer)
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as AddressInfo // Only a server on a pipe has another kind of address.
  return { other, baseUrl: `http://127.0.0.1:${port}/v1` }
}

test('finds a difference, and revokes its key all the same', async () => {
  const before = await storedItems()
  const seen: string[] = []
  const { other, baseUrl } = await startOther(({ headers }, response) => {
    seen.push(String(headers.authorization))
    response.end('{}')
  })

  const { code, stdout } = await runCommand('smoke', ['--stage', 'local', '--base-url', baseUrl, '--wait', '1s'], env)

  other.close()
  expect(code).toBe(1)
  expect(stdout).toContain('\n✗ GET /pets?limit=1: expected 200, an array, but 200 came with {} (')
  expect(stdout).toMatch(/\nThe key key_\w+ is revoked\.\n$/)
  expect(seen.length).toBeGreaterThan(1)
  expect(new Set(seen)).toEqual(new Set([expect.stringMatching(/^Bearer pet_local_\w{38}$/)]))
  expect(await storedItems()).toEqual(before)
})

test.each(['SIGINT', 'SIGTERM'] as const)('revokes its key when it is stopped by %s', async (signal) => {
  const before = await storedItems()
  const { other, baseUrl } = await startOther(() => {}) // Never answers.
  const { child, exited } = startCommand('smoke', ['--stage', 'local', '--base-url', baseUrl], env)
  await once(other, 'request')
  expect(await storedItems()).toHaveLength(before.length + 1)

  child.kill(signal)

  const { code, stdout, stderr } = await exited
  other.close().closeAllConnections()
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'Stopped.\n' })
  expect(stdout).toMatch(/\nThe key key_\w+ is revoked\.\n$/)
  expect(await storedItems()).toEqual(before)
})
