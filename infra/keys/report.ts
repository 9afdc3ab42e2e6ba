import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import type { Rotation } from './actions.ts'
import { stateOf, tableOf, viewOf } from './key-view.ts'
import type { NewKey } from './new-key.ts'

/** What a command prints: the text for people, or the JSON for scripts; and what went wrong although there is output. */
export type Report = { text: string; json: unknown; failure?: Error | undefined }

/** A new key. Only here is a key itself ever shown. */
export const issued = ({ text, stored }: NewKey): Report => ({
  text: `${lines({
    'API key': text,
    Key: stored.keyId,
    Client: stored.clientId,
    Name: stored.name,
    State: expiryOf(stored),
  })}

This is the only time that the key is shown.`,
  json: { key: text, ...viewOf(stored) },
})

/** The new key, and until when the old one is good. */
export const rotated = ({ fresh, old, failure }: Rotation): Report => {
  const { text, json } = issued(fresh)
  const previous = viewOf(old)
  return {
    text: `${text}\n${old.keyId}, the key before it: ${expiryOf(old)}.`,
    json: { ...Object(json), previous },
    failure,
  }
}

/** All keys. */
export const listed = (keys: StoredApiKey[]): Report => ({
  text: keys.length > 0 ? tableOf(keys) : 'There are no keys.',
  json: keys.map(viewOf),
})

/** The key that was revoked. */
export const revoked = (key: StoredApiKey): Report => ({
  text: `${key.keyId} is revoked. Functions that have just seen it take it for at most another minute.`,
  json: { keyId: key.keyId, clientId: key.clientId, name: key.name },
})

const expiryOf = (key: StoredApiKey): string => {
  const { expiresAt } = viewOf(key)
  return expiresAt === undefined ? 'does not expire' : `${stateOf(key)} (${expiresAt})`
}

const lines = (rows: Record<string, string>): string =>
  Object.entries(rows)
    .map(([label, value]) => label.padEnd(9) + value)
    .join('\n')
