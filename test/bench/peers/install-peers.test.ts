import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { installPeers } from './install-peers.ts'

vi.spyOn(process.stderr, 'write').mockReturnValue(true)

/** A folder with a lock file, and with what is called for npm. */
const folderWith = (npm: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'peers-'))
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package-lock.json'), 'first')
  if (npm) writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}`, { mode: 0o755 })
  vi.stubEnv('PATH', folder)
  return folder
}

test('installs once for each state of the lock file', async () => {
  const folder = folderWith('echo "$1" >> calls')
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8')

  await installPeers(folder)
  await installPeers(folder)
  expect(calls()).toBe('ci\n')

  writeFileSync(join(folder, 'package-lock.json'), 'second')
  await installPeers(folder)
  expect(calls()).toBe('ci\nci\n')
})

test.each([
  ['that npm has', 'echo "npm error code E1\nnpm error Away." >&2; exit 1', 'Away.'],
  ['that it has no npm', '', 'spawn npm ENOENT'],
])('says the reason %s, and tries again the next time', async (_, npm, reason) => {
  const folder = folderWith(npm)
  const failure = new CommandError(`npm cannot install them, which takes a network: ${reason}`)

  await expect(installPeers(folder)).rejects.toThrow(failure)
  await expect(installPeers(folder)).rejects.toThrow(failure)
})

test('has npm say what is wrong also where this runs silently', async () => {
  const folder = folderWith('case "$*" in *--loglevel=error*) echo "npm error Away." >&2; esac; exit 1')

  await expect(installPeers(folder)).rejects.toThrow('Away.')
})
