import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collectionsDigest } from '../../../infra/bundle/collections-digest.ts'
import { temporaryFolder } from '../../support/server.ts'

/** The digest of a copy of `shared` in which a file has another text. */
const digestWith = (file: string, changed: (text: string) => string): string => {
  const folder = temporaryFolder()
  cpSync('shared', folder, { recursive: true })
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  expect(changed(text)).not.toBe(text)
  writeFileSync(path, changed(text))
  return collectionsDigest(join(folder, 'collections.ts'))
}

test('a comment changes no digest', () => {
  const digest = digestWith('data/collection.ts', (text) => `// A comment.\n${text}\n`)

  expect(digest).toBe(collectionsDigest())
})

test.each<[what: string, file: string, from: string, to: string]>([
  ['a field of a collection', 'pets/pet.ts', 'name:', 'nick:'],
  ['a filter', 'service.ts', 'pets: [', "pets: ['name', "],
  ['how an item gets the key of an index', 'data/indexes.ts', '}#${', '}/${'],
])('%s changes the digest', (_, file, from, to) => {
  const digest = digestWith(file, (text) => text.replace(from, to))

  expect(digest).not.toBe(collectionsDigest())
})
