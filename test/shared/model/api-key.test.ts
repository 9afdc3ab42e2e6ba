import { describe, expect, test } from 'vitest'
import { digestOf, isApiKey, newApiKey } from '../../../shared/model/api-key.ts'
import { service } from '../../../shared/service.ts'

const CHARACTERS = [
  ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  ...'_-. é\n',
]

describe.each(['live', 'test', 'local'] as const)('a key for %s', (prefix) => {
  const key = newApiKey(prefix)

  test('is its prefix, 32 random characters and a checksum of 6', () => {
    expect(key).toMatch(
      new RegExp(`^${service.keyIssuer}_${prefix}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$`),
    )
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

test('a key is invalid with a character changed, if it is truncated, and with text before or after it', () => {
  const key = newApiKey('local')
  const positions = Array.from(key, (_, at) => [key.slice(0, at), key.slice(at + 1)] as const)
  const changed = positions.flatMap(([start, rest]) =>
    CHARACTERS.map((character) => start + character + rest),
  )
  const wrapped = [
    ` ${key}`,
    `${key} `,
    `${key}\n`,
    `"${key}"`,
    key + key,
    key.toLowerCase(),
    key.toUpperCase(),
  ]

  const others = [...changed, ...positions.flat(), ...wrapped].filter((text) => text !== key)

  expect(others.filter((text) => isApiKey(text, 'local'))).toEqual([])
})

test('the digest of a key is its SHA-256 (FIPS 180-4) in hexadecimal', () => {
  expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
