import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call } from '../functions/call.ts'
import { startCommand } from '../infra/keys/run-command.ts'
import './database.ts'
import { outputFolder } from './captured-output.ts'
import { eventOf } from './events.ts'
import { send } from './http.ts'
import { startServer } from './server.ts'

/** What was kept of the outputs whose names end so. */
const kept = (source: string): string =>
  readdirSync(outputFolder())
    .filter((file) => decodeURIComponent(file).endsWith(source))
    .map((file) => readFileSync(join(outputFolder(), file), 'utf8'))
    .join()

test('keeps what a function logs, although tests silence it', async () => {
  await call(eventOf('listPets-no-parameters'))

  expect(kept('the console of test/support/captured-output.test.ts')).toContain(
    "requestId: 'eFs8g5b7ALNumUU=', operation: 'listPets'",
  )
})

test('keeps what a terminal is not shown of an error', () => {
  console.error(new Error('Outer', { cause: { first: { second: { third: { fourth: 'deep' } } } } }))

  expect(kept('the console of test/support/captured-output.test.ts')).toContain("fourth: 'deep'")
})

test('keeps what the local server prints of a request', async () => {
  const server = await startServer()
  await send(server.baseUrl, { path: '/pets' })
  await server.stop()

  const lines = kept(`node infra/local/main.ts, stdout of process ${server.process.pid}`)
  expect(lines).toContain(`Base address  ${server.baseUrl}`)
  expect(lines).toContain("operation: 'listPets'")
})

test('keeps what the keys command prints', async () => {
  const help = startCommand('keys', ['--help'])
  const refusal = startCommand('keys', ['delete'])
  await Promise.all([help.exited, refusal.exited])

  expect(kept(`infra/keys/main.ts, stdout of process ${help.child.pid}`)).toContain('npm run keys')
  expect(kept(`infra/keys/main.ts, stderr of process ${refusal.child.pid}`)).toContain('There is no command "delete".')
})

test('keeps what Node.js itself prints, of a process that crashes', async () => {
  const { child, exited } = startCommand('keys', ['list', '--stage', 'local'], { NODE_OPTIONS: '--import data:x' })
  await exited

  expect(kept(`stderr of process ${child.pid}`)).toContain('Error')
})

test('keeps what gets past the console of a process of tests', async () => {
  const mark = '\u2063' // To be seen by nobody who reads the report.

  process.stdout.write(mark)

  await expect.poll(() => kept(`stdout of process ${process.pid}`)).toContain(mark)
})
