import { hash, randomInt } from 'node:crypto'
import { type Scope, scopes, service } from '../service.ts'
import { crc32 } from './crc32.ts'
import { isExpired } from './expiry.ts'

/** Whose API key it is, and what it allows. `clientId` survives key rotation. */
export type KeyHolder = {
  readonly keyId: string
  readonly clientId: string
  readonly scopes: readonly Scope[]
  /** Seconds since 1970. */
  readonly expiresAt?: number | undefined
  /** Whether the key has neither expired nor been revoked. */
  readonly isValid: boolean
}

/** The scopes of a key by its attribute `scopes`, without those that only another version knows. */
export const scopesOf = (stored: unknown): readonly Scope[] => {
  const texts = storedScopes(stored)
  return scopes.filter((scope) => texts.includes(scope))
}

/** The texts in an attribute `scopes`, which the first keys did not have. */
export const storedScopes = (stored: unknown): string[] => (Array.isArray(stored) ? stored : [])

/** When a key ends, in seconds since 1970, and who revoked it, as they are stored. */
type Ending = { expiresAt?: unknown; revokedBy?: unknown }

/** Whether a key is valid. */
export const keyState = ({ expiresAt, revokedBy }: Ending): 'valid' | 'expired' | 'revoked' => {
  if (revokedBy !== undefined) return 'revoked'
  return isExpired(expiresAt) ? 'expired' : 'valid'
}

/**
 * The part of a key that names where it is valid: production, staging, or a developer's machine.
 */
export type KeyPrefix = 'live' | 'test' | 'local'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Generates `<issuer>_<prefix>_`, 32 random characters (190 bits), and a checksum of both. */
export const newApiKey = (prefix: KeyPrefix): string => {
  const random = Array.from({ length: 32 }, () => BASE62.charAt(randomInt(BASE62.length))).join('')
  return apiKeyOf(prefix, random)
}

/** The API key with these 32 characters. */
export const apiKeyOf = (prefix: string, characters: string): string => {
  const checked = `${service.keyIssuer}_${prefix}_${characters}`
  return checked + checksum(checked)
}

/**
 * Whether `text` has the form of a key with this prefix: before its checksum of 6 are 32
 * characters. Typos and keys of other stages cost no database read.
 */
export const isApiKey = (text: string, prefix: string): boolean =>
  text === apiKeyOf(prefix, text.slice(-38, -6))

/** The SHA-256 in hexadecimal. Keys are stored as this: their 190 random bits need no salt. */
export const digestOf = (text: string): string => hash('sha256', text)

/** Six digits in base 62. */
const checksum = (text: string): string => {
  const crc = crc32(Buffer.from(text))
  return [5, 4, 3, 2, 1, 0]
    .map((place) => BASE62.charAt(Math.floor(crc / 62 ** place) % 62))
    .join('')
}
