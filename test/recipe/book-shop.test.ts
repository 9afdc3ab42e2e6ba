import { globSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyOfRepository } from './copy.ts'

// "Making it yours" of README, in its order: a book shop, whose only resource is books with a title, an author and a format.

const { folder, edit, run } = copyOfRepository()

type Words = Record<string, string>

const names: Words = {
  'pet-store': 'book-shop',
  PetStore: 'BookShop',
  'Pet Store': 'Book Shop',
  "'pet'": "'book'",
  pet_: 'book_',
}
const words: Words = { 'an animal': 'a book', 'pet|animal': 'book', Pet: 'Book', PET: 'BOOK' }
const values: Words = { '\\bavailable\\b': 'paperback', pending: 'hardcover', sold: 'ebook' }
const fields: Words = {
  '\\bname\\b': 'title',
  categoryId: 'authorId',
  '\\bstatus(\\b|(?=Shard))(?!(: |":)\\d)': 'format',
  'Status\\b': 'Format',
  ...values,
}
/** The same where other things have a name and a status, too. */
const someFields: Words = {
  "\\bname(?=: ['`][A-Z'])": 'title',
  '(?<=(wanted|book)\\.)name': 'title',
  categoryId: 'authorId',
  "\\bstatus(?=: ')": 'format',
  ...values,
}

const books = `import { collection } from '../data/collection.ts'
import { Book } from './book.ts'

export const books = collection('books', Book)
`

const examples = `import { books } from './books/books.ts'

export const seedHelp = 'add a book'

export const invocation = 'createBook test/events/createBook-created.json'

export const seed = async (): Promise<string> => {
  if ((await books.list({ limit: 1 })).items.length > 0) return 'no new books'
  await books.create({ title: 'Emma', authorId: 7, format: 'paperback' })
  return '1 new book'
}
`

const replace = (files: string | string[], ...words: Words[]): void => {
  const all = Object.entries(Object.assign({}, ...words)).map(([from, to]) => [new RegExp(from, 'g'), to] as const)
  for (const file of globSync(files, { cwd: folder }))
    edit(file, (text) => all.reduce((rest, [from, to]) => rest.replaceAll(from, String(to)), text))
}

const rename = (files: string): void => {
  for (const file of globSync(files, { cwd: folder }))
    renameSync(join(folder, file), join(folder, file.replace('pet', 'book').replace('Pet', 'Book')))
}

/** The files that say the names of the service, besides events. */
const named = [
  '{README,infra/README,infra/client/README}.md',
  '{.,infra/client,test/bench/peers}/package{,-lock}.json',
  'infra/github/deploy-role.yaml',
  '.github/workflows/deploy.yml',
]

test('the tests of names name each file that says another name than shared/service.ts', () => {
  replace('shared/service.ts', names)

  const output = run('npm test -- test/names.test.ts', 1)

  const files = globSync([...named, 'test/events/*.json'], { cwd: folder })
  expect(files.filter((file) => !output.includes(file))).toEqual([])
})

test('with these names, and books in place of pets and orders, all checks pass', () => {
  const key = run('node -p "require(\'./infra/local/credentials.ts\').LOCAL_API_KEY"').trim()
  replace(named, { 'pet_local_\\w+': key, ...names })
  run(`rm -r shared/orders functions/*Order*.ts test/{functions,shared,api,faults}/orders* test/events/*Order*.json
    rm -r test/functions/{getPet,pets}.test.ts test/api/*-pet*.test.ts test/recipe`)
  for (const file of ['package.json', '.ci/run']) edit(file, (text) => text.replace(/^.*\btest:recipe\b.*\n/m, ''))
  for (const files of ['shared/pets', 'shared/books/pet*.ts', '{functions,test/functions,test/events}/*Pet*'])
    rename(files)
  replace('functions/*.ts', words)
  replace('test/events/*.json', { 'pet_local_\\w+': key }, words, fields)
  replace(['shared/books/*.ts', 'shared/contract.ts', 'README.md'], words, fields)
  replace(['test/support/example.ts', 'test/functions/*.ts'], words, fields)
  replace(['infra/commands/smoke.ts', 'infra/client/README.md'], words, someFields)
  edit('infra/client/README.md', (text) => text.replaceAll(/^.*client\.\w+Order\(.*\n/gm, ''))
  replace(['shared/{service,texts}.ts', '{functions,infra,test}/README.md'], words)
  edit('shared/service.ts', (text) =>
    text
      .replace(/, 'orders:.*'/, '')
      .replace(/^ {2}orders.*\n/m, '')
      .replace("'status'", "'format'"),
  )
  edit('shared/texts.ts', (text) => text.replace(/^import .*orders.*\n/m, '').replaceAll(/, \.\.\.orders\.\w+/g, ''))
  const ofOrders = /^ {2}\w+Orders?: (.|\n)*?^ {2}\},\n|^import .*orders.*\n|^const HELD.*\n\n/gm
  const ofPets = /^.*(deprecated:|stability:|HELD|'orders').*\n/gm
  edit('shared/contract.ts', (text) => text.replaceAll(ofOrders, '').replaceAll(ofPets, ''))
  writeFileSync(join(folder, 'shared/books/books.ts'), books)
  writeFileSync(join(folder, 'shared/examples.ts'), examples)
  const aboutPets = /^Order a book\..*^(?=Every error)|^To make another service.*^(?=## Deploying)/gms
  edit('README.md', (text) => text.replaceAll(aboutPets, ''))
  edit('functions/README.md', (text) => text.replaceAll(/^.*\borders\b.*\n/gim, ''))
  run('npm run format && npm test -- test/infra/{openapi,stack} --update')

  run('npm run check')
})
