import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { outputFolder } from './captured-output.ts'
import { setup, teardown } from './temporary-files.ts'

test('a run fails in which a secret was printed', () => {
  vi.stubEnv('TMPDIR', process.env.TMPDIR)
  onTestFinished(() => void vi.unstubAllEnvs())
  setup()
  writeFileSync(join(outputFolder(), 'server'), 'Authorization: Bearer x')

  expect(teardown).toThrow('server, line 1: a bearer token')
})
