import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { digestOf } from '../../shared/model/api-key.ts'

/** The API key of every local database, fixed so that documentation can show it. Nowhere else is it good. */
export const LOCAL_API_KEY = 'pet_local_forDevelopmentOnOneMachineOnly002lJW3V'

/** It as it is stored. */
export const storedLocalApiKey: StoredApiKey = {
  digest: digestOf(LOCAL_API_KEY),
  keyId: 'local',
  clientId: 'local',
  name: 'Local development',
  createdAt: '2026-11-20T00:00:00.000Z',
}

/** The AWS settings that the SDK wants, and that a local database does not look at. */
export const placeholders = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }
