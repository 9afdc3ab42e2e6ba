import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { keyState } from '../../shared/model/api-key.ts'
import type { Scope } from '../../shared/service.ts'
import { explain } from '../command-line.ts'
import { ApiKeyTable, generateApiKey } from './api-key-table.ts'
import type { Deployment } from './deployment.ts'

const HOUR = 3600

/**
 * Runs a command with an API key that is valid for 24 hours, and renewed before it expires. Revokes
 * all keys of this client and name afterwards, and first those that a killed run has left.
 */
export const withCommandKey = async (
  deployment: Deployment,
  owner: { clientId: string; name: string; scopes: Scope[] },
  action: (apiKey: () => Promise<string>) => Promise<void>,
): Promise<void> => {
  const table = new ApiKeyTable(deployment)
  const isOwn = (key: StoredApiKey) =>
    key.clientId === owner.clientId && key.name === owner.name && keyState(key) === 'valid'
  const revokeAll = async () => {
    for (const key of (await table.all()).filter(isOwn)) await table.revoke(key)
  }
  const issue = async (): Promise<string> => {
    const { text, stored } = generateApiKey(deployment, { ...owner, expiresIn: 24 * HOUR })
    await table.put(stored)
    return text
  }
  await revokeAll()
  let renewAt = 0
  let key: Promise<string>
  const currentKey = (): Promise<string> => {
    if (Date.now() < renewAt) return key
    renewAt = Date.now() + 23 * HOUR * 1000
    key = issue()
    return key
  }
  try {
    await currentKey()
    await action(currentKey)
  } finally {
    await revokeAll().catch((error) =>
      console.error(`${explain(error).message} The API key "${owner.name}" may be left for a day.`),
    )
  }
}
