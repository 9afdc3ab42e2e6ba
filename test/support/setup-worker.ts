import { relative } from 'node:path'
import { expect } from 'vitest'
import { captureConsole, captureProcesses, outputFolder } from './captured-output.ts'

// Runs in each worker before each of its test files.
captureProcesses(outputFolder())
captureConsole(outputFolder(), relative('', expect.getState().testPath ?? ''))
