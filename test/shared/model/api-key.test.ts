import { readFileSync } from 'node:fs'
import { crc32 as crc32OfZlib } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../../../infra/local/credentials.ts'
import { digestOf, isApiKey, newApiKey } from '../../../shared/model/api-key.ts'
import { crc32 } from '../../../shared/model/crc32.ts'
import { service } from '../../../shared/service.ts'

const KEY = LOCAL_API_KEY
const CHARACTERS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', ...'_-. é\n']

describe.each(['live', 'test', 'local'] as const)('a key for %s', (prefix) => {
  const key = newApiKey(prefix)

  test('is its prefix, 32 random characters and a checksum of 6', () => {
    expect(key).toMatch(new RegExp(`^${service.keyIssuer}_${prefix}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$`))
  })

  test('is valid nowhere else, even with another prefix', () => {
    const places = ['live', 'test', 'local', '', 'constructor']

    expect(places.filter((place) => isApiKey(key, place))).toEqual([prefix])
    expect(places.filter((place) => isApiKey(key.replace(prefix, place), place))).toEqual([prefix])
  })
})

test('keys differ, and use every character', () => {
  const keys = Array.from({ length: 200 }, () => newApiKey('test'))
  const characters = new Set(keys.flatMap((key) => [...(key.split('_')[2] ?? '').slice(0, -6)]))

  expect(new Set(keys).size).toBe(200)
  expect(characters.size).toBe(62)
})

test('the local key is the one that README shows', () => {
  expect(isApiKey(KEY, 'local')).toBe(true)
  expect(readFileSync('README.md', 'utf8')).toContain(KEY)
})

describe.each([KEY, newApiKey('local')])('the key %s', (key) => {
  const positions = Array.from(key, (_, at) => [key.slice(0, at), key.slice(at + 1)] as const)

  test('is invalid with a character changed', () => {
    const changed = positions.flatMap(([start, rest]) => CHARACTERS.map((character) => start + character + rest))
    const others = changed.filter((text) => text !== key)

    expect(others.length).toBe(48 * (CHARACTERS.length - 1))
    expect(others.filter((text) => isApiKey(text, 'local'))).toEqual([])
  })

  test('is invalid if it is truncated, or has text before or after it', () => {
    const wrapped = [` ${key}`, `${key} `, `${key}\n`, `"${key}"`, key + key, key.toLowerCase(), key.toUpperCase()]

    expect([...positions.flat(), ...wrapped].filter((text) => isApiKey(text, 'local'))).toEqual([])
  })
})

test('the digest of a key is its SHA-256 (FIPS 180-4) in hexadecimal', () => {
  expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('the CRC-32 of any bytes is that of zlib', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(crc32(bytes)).toBe(crc32OfZlib(bytes))
    }),
  )
})
