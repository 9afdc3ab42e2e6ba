import { globSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { copyOfRepository } from './copy.ts'

// "Making it yours" of README: a book shop, whose only resource is books, with `title`, `authorId` and `format`.

const { folder, edit, run } = copyOfRepository()

/** The files that say the names of the service, or how the resource is called, and are not about it otherwise. */
const named = [
  ['README.md', 'infra/README.md', 'infra/client/README.md', 'functions/README.md'],
  ['package.json', 'package-lock.json', 'infra/client/package.json', 'test/bench/peers/package.json'],
  ['test/bench/peers/package-lock.json', 'infra/github/deploy-role.yaml', '.github/workflows/deploy.yml'],
].flat()

const replaced = (text: string, words: Record<string, string>): string =>
  Object.entries(words).reduce((rest, [word, other]) => rest.replaceAll(new RegExp(word, 'g'), other), text)

const names = {
  'pet-store': 'book-shop',
  PetStore: 'BookShop',
  'Pet Store': 'Book Shop',
  "'pet'": "'book'",
  pet_: 'book_',
}

const fields = {
  '\\bname\\b(?!:? (of|for))': 'title',
  categoryId: 'authorId',
  '\\bstatus\\b(?!"?: ?\\d)': 'format',
  'Status\\b': 'Format',
  available: 'paperback',
  pending: 'hardcover',
  sold: 'ebook',
}

const words = { 'an animal': 'a book', 'animal|pet': 'book', Pet: 'Book', PET: 'BOOK' }

const editAll = (pattern: string | string[], ...changes: Record<string, string>[]): void => {
  for (const file of globSync(pattern, { cwd: folder }))
    writeFileSync(join(folder, file), replaced(readFileSync(join(folder, file), 'utf8'), Object.assign({}, ...changes)))
}

/** The titles of the tests that fail. */
const failedTests = (): string[] => {
  run('npm test -- --reporter=json --outputFile=cdk.out/results.json || true')
  const { testResults } = JSON.parse(readFileSync(join(folder, 'cdk.out/results.json'), 'utf8'))
  return testResults.flatMap
}
