import { relative } from 'node:path'
import { expect } from 'vitest'
import { captureConsole, captureProcesses } from './secrets.ts'

// Runs in each worker before each of its test files.
captureProcesses()
captureConsole(relative('', expect.getState().testPath ?? ''))
