import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBundles } from '../../support/bundles.ts'
import { startDynamoDb } from '../dynamodb/start-dynamodb.ts'
import { installPeers, runtimeClient } from '../peers/install-peers.ts'
import type { Surroundings } from '../runtime/start-function.ts'
import { functions } from './functions.ts'
import { peers } from './peers.ts'
import type { Subject } from './subject.ts'

/** All that is measured side by side, and where it runs. */
export type Laboratory = {
  functions: ReturnType<typeof functions>
  peers: Subject[]
  surroundings: Surroundings
  /** For files. */
  folder: string
}

/** Makes every bundle, and starts the DynamoDB that they reach, for as long as `work` lasts. */
export const inLaboratory = async <T>(work: (laboratory: Laboratory) => Promise<T>): Promise<T> => {
  await installPeers()
  const folder = mkdtempSync(join(tmpdir(), 'laboratory-'))
  const dynamodb = await startDynamoDb(folder)
  try {
    const surroundings = { runtimeClient, dynamodb }
    return await work({ functions: functions(makeBundles()), peers: await peers(folder), surroundings, folder })
  } finally {
    dynamodb.stop()
  }
}
