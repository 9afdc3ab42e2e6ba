import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { captureProcesses, outputFolder } from './captured-output.ts'
import { refusePrintedSecrets } from './printed-secrets.ts'

let folder: string

/** Gives all tests of a run one place for temporary files: CDK and killed servers leave theirs behind. */
export const setup = (): void => {
  folder = mkdtempSync(join(tmpdir(), 'pet-store-test-'))
  process.env.TMPDIR = folder
  captureProcesses(outputFolder())
}

/** Removes it, unless a secret was printed: then the run fails. */
export const teardown = (): void => {
  refusePrintedSecrets(outputFolder())
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
