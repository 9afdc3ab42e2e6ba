import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let folder: string

/** Gives all tests of a run one place for temporary files: CDK and killed servers leave theirs behind. */
export const setup = (): void => {
  folder = mkdtempSync(join(tmpdir(), 'pet-store-test-'))
  process.env.TMPDIR = folder
}

/** Removes it. */
export const teardown = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
