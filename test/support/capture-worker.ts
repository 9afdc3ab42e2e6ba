import { relative } from 'node:path'
import { expect } from 'vitest'
import { captureConsole, captureProcesses, outputFolder } from './captured-output.ts'

// In each process of tests, before each of their files.
captureProcesses(outputFolder())
captureConsole(outputFolder(), relative('', expect.getState().testPath ?? ''))
