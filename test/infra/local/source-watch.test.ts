import fs, { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { nextChange } from '../../../infra/local/source-watch.ts'
import { temporaryFolder } from '../../support/server.ts'

const newCheckout = (): string => {
  const root = temporaryFolder()
  for (const folder of ['functions', 'infra', 'shared/pets'])
    mkdirSync(join(root, folder), { recursive: true })
  return root
}

test('names each source that is replaced, as git and editors do it, and nothing else', async () => {
  const root = newCheckout()

  for (const file of ['shared/pets/pet.ts', 'infra/start.js', 'infra/start.js']) {
    const change = nextChange(root)
    for (const other of ['shared/.#pet.ts', 'shared/#pet.ts#', 'infra/app.ts~', 'vite.ts', 'new'])
      writeFileSync(join(root, other), '')
    renameSync(join(root, 'new'), join(root, file))
    expect(await change).toBe(file)
  }
})

test('names a folder that is back', async () => {
  const root = newCheckout()
  rmSync(join(root, 'shared'), { recursive: true })

  const back = nextChange(root)
  mkdirSync(join(root, 'shared'))
  expect(await back).toBe('shared')
})

test('says so where the system has no more watches', () => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  vi.spyOn(fs, 'watch').mockImplementation(() => {
    throw new Error('ENOSPC: refused')
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  nextChange(newCheckout())

  expect(printed.mock.calls).toEqual([
    ['Changes are not noticed: restart the server after one. ENOSPC: refused\n'],
  ])
})
