import { describe, expect, test } from 'vitest'
import { digestOf, isApiKey, newApiKey } from '../../../shared/model/api-key.ts'

const KEY = 'pet_local_forDevelopmentOnOneMachineOnly002lJW3V'
const CHARACTERS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', ...'_-. é\n']

describe.each(['live', 'test', 'local'] as const)('a key for %s', (prefix) => {
  test('is its prefix, 32 random characters and 6 of a checksum', () => {
    const key = newApiKey(prefix)

    expect(key).toMatch(new RegExp(`^pet_${prefix}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$`))
    expect(isApiKey(key, prefix)).toBe(true)
  })

  test('is good nowhere else', () => {
    const key = newApiKey(prefix)

    const goodAt = ['live', 'test', 'local', '', 'constructor'].filter((place) => isApiKey(key, place))

    expect(goodAt).toEqual([prefix])
  })

  test('is not made of another by changing its prefix', () => {
    const key = newApiKey(prefix)

    const moved = ['live', 'test', 'local'].filter((place) => isApiKey(key.replace(prefix, place), place))

    expect(moved).toEqual([prefix])
  })
})

test('keys differ, and use every character', () => {
  const keys = Array.from({ length: 200 }, () => newApiKey('test'))
  const characters = new Set(keys.flatMap((key) => [...key.slice('pet_test_'.length, -6)]))

  expect(new Set(keys).size).toBe(200)
  expect(characters.size).toBe(62)
})

test('a key that was issued before is still good', () => {
  expect(isApiKey(KEY, 'local')).toBe(true)
})

describe.each([KEY, newApiKey('local')])('the key %s', (key) => {
  test('is refused with any one character changed to any other', () => {
    const changed = Array.from(key, (_, at) => CHARACTERS.map((c) => key.slice(0, at) + c + key.slice(at + 1)))
    const others = changed.flat().filter((text) => text !== key)

    expect(others.length).toBe(48 * (CHARACTERS.length - 1))
    expect(others.filter((text) => isApiKey(text, 'local'))).toEqual([])
  })

  test('is refused when it was cut, or has something before or behind it', () => {
    const cuts = Array.from(key, (_, at) => [key.slice(0, at), key.slice(at + 1)]).flat()
    const wrapped = [` ${key}`, `${key} `, `${key}\n`, `"${key}"`, key + key, key.toLowerCase(), key.toUpperCase()]

    expect([...cuts, ...wrapped].filter((text) => isApiKey(text, 'local'))).toEqual([])
  })
})

test.each([
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
])('the digest of "%s" is its SHA-256 (FIPS 180-4) in hexadecimal', (text, digest) => {
  expect(digestOf(text)).toBe(digest)
})
