import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { leastEnvironment } from '../support/server.ts'

test('a process ends with the one that started it', async () => {
  const program = `
    import { spawn } from 'node:child_process'
    import { endWithThis } from './test/bench/end-with-this.ts'
    endWithThis(spawn('sleep', ['150'], { stdio: 'inherit' }))
    process.exit(3)`

  // Their outputs end when the last of them does.
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env: leastEnvironment })

  await expect(ended).rejects.toMatchObject({ code: 3 })
})
