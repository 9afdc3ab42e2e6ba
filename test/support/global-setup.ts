import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { service } from '../../shared/service.ts'
import { captureProcesses, refusePrintedSecrets } from './secrets.ts'

let folder: string

/** Gives a test run one folder for all temporary files: CDK and killed servers leave theirs behind. */
export const setup = (): void => {
  folder = mkdtempSync(join(tmpdir(), `${service.name}-test-`))
  process.env.TMPDIR = folder
  captureProcesses()
}

/** Removes the folder, or fails the run if a secret was printed. */
export const teardown = (): void => {
  refusePrintedSecrets()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
