import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { service } from '../../shared/service.ts'

let folder: string

/**
 * Gives a test run one folder for all temporary files: CDK and killed servers leave theirs behind.
 */
export const setup = (): void => {
  folder = mkdtempSync(join(tmpdir(), `${service.name}-test-`))
  process.env.TMPDIR = folder
}

/** Removes the folder. */
export const teardown = (): void => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
