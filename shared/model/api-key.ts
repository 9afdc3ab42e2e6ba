import { hash, randomInt } from 'node:crypto'
import { service } from '../service.ts'
import { crc32 } from './crc32.ts'

/**
 * The owner of an API key. `keyId` identifies the key; `clientId` identifies the client and survives key rotation. A key
 * without `scopes` has all of them.
 */
export type ApiKey = { keyId: string; clientId: string; scopes?: readonly Scope[] | undefined }

/** What an API key may allow. */
export const scopes = ['pets:read', 'pets:write'] as const
export type Scope = (typeof scopes)[number]

/** The part of a key that names where it is valid: production, staging, or a developer's machine. */
export type KeyPrefix = 'live' | 'test' | 'local'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
const KEY = new RegExp(
  `^(?<checked>${service.keyIssuer}_(?<prefix>live|test|local)_[0-9A-Za-z]{32})(?<checksum>[0-9A-Za-z]{6})$`,
)

/** Generates an API key: `pet_<prefix>_`, 32 random characters (190 bits), and a checksum of both. */
export const newApiKey = (prefix: KeyPrefix): string => {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('')
  const checked = `${service.keyIssuer}_${prefix}_${random}`
  return checked + checksumOf(checked)
}

/** Whether `text` has the form of a key with this prefix. Typos and keys of other stages cost no database read. */
export const isApiKey = (text: string, prefix: string): boolean => {
  const parts = KEY.exec(text)?.groups
  return parts?.prefix === prefix && parts.checksum === checksumOf(parts.checked ?? '')
}

/** The SHA-256 of a key in hexadecimal, which is stored instead of the key. Its 190 random bits need no salt. */
export const digestOf = (key: string): string => hash('sha256', key)

const checksumOf = (text: string): string => {
  let rest = crc32(Buffer.from(text))
  let checksum = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    checksum = BASE62.charAt(rest % 62) + checksum
    rest = Math.floor(rest / 62)
  }
  return checksum
}
