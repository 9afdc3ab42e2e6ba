import type { Surroundings } from '../support/process.ts'
import type { Deployed } from './deployed.ts'
import { startFront } from './front.ts'
import { issueKey } from './issue-key.ts'

/** The emulated AWS: its address, the environment of commands that work on it, and the outputs of each stack. */
export type Place = { emulator: string; env: Surroundings['env']; outputs: Record<string, Record<string, string>> }

/** Makes a deployed stage's API reachable at an address of its own, with a new key. */
export const openApi = async (
  stage: 'staging' | 'production',
  { emulator, env, outputs }: Place,
): Promise<Deployed> => {
  const stack = { staging: 'PetStoreStaging', production: 'PetStoreProduction' }[stage]
  const { hostname, pathname } = new URL(outputs[stack]?.BaseUrl ?? '')
  const [apiId] = hostname.split('.')
  const origin = await startFront(`${emulator}/_aws/execute-api/${apiId}`, 'http')
  return { baseUrl: origin + pathname, apiKey: await issueKey(stage, env) }
}
