import { hash, randomInt } from 'node:crypto'
import { crc32 } from './crc32.ts'

/** Who holds an API key: `keyId` names the key, `clientId` the client, which keeps it when the key is rotated. */
export type ApiKey = { keyId: string; clientId: string }

/** The part of a key that says where it is good: production, staging, or a developer's machine. */
export type KeyPrefix = 'live' | 'test' | 'local'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
const KEY = /^(?<checked>pet_(?<prefix>live|test|local)_[0-9A-Za-z]{32})(?<checksum>[0-9A-Za-z]{6})$/

/** A new API key: `pet_<prefix>_`, 32 random characters (190 bits), and a checksum of all before it. */
export const newApiKey = (prefix: KeyPrefix): string => {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('')
  const checked = `pet_${prefix}_${random}`
  return checked + checksumOf(checked)
}

/** Whether `text` can be a key of this place at all, so that typos, garbage and keys of other stages cost no read. */
export const isApiKey = (text: string, prefix: string): boolean => {
  const parts = KEY.exec(text)?.groups
  return parts?.prefix === prefix && parts.checksum === checksumOf(parts.checked ?? '')
}

/** What is stored and compared in a key's place: its SHA-256 in hexadecimal. A key's 190 random bits need no salt. */
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
