import type { StoredApiKey } from '../../../shared/data/api-keys.ts'
import { apiKeyOf, digestOf } from '../../../shared/model/api-key.ts'
import { scopes } from '../../../shared/service.ts'

/** The API key of every local database, and of no other: the documentation shows it. */
export const LOCAL_API_KEY = apiKeyOf('local', 'forDevelopmentOnOneMachineOnly00')

export const storedLocalApiKey: StoredApiKey = {
  digest: digestOf(LOCAL_API_KEY),
  keyId: 'local',
  clientId: 'local',
  name: 'Local development',
  scopes,
  createdAt: '2026-11-20T00:00:00.000Z',
}
