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
/** The same where other things have a name and a status, too: in the seed, and in what the smoke test creates. */
const someFields: Words = {
  "(?<=\\(|\\{ | {2})name(?=: `|: ''|, (i\\)|categoryId))": 'title',
  'wanted\\.name': 'wanted.title',
  categoryId: 'authorId',
  "\\bstatus(?=Shard|: [S'])|(?<=book\\.)status": 'format',
  BookStatus: 'BookFormat',
  ...values,
}

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

  const output = run('npx vitest run --config test/vitest.config.ts test/names.test.ts', 1)

  const files = globSync([...named, 'test/events/*.json'], { cwd: folder })
  expect(files.filter((file) => !output.includes(file))).toEqual([])
})

test('with these names, and books in place of pets and orders, all checks pass', () => {
  const key = run('node -p "require(\'./infra/local/credentials.ts\').LOCAL_API_KEY"').trim()
  replace(named, { 'pet_local_\\w+': key, ...names })
  run(`rm -r shared/orders {functions,test/functions}/*Order*.ts test/events/*Order*.json test/recipe
    rm -r test/functions/{get,delete}Pet.test.ts test/shared/pets test/shared/orders test/api/*-pet*.test.ts test/api/orders.test.ts`)
  for (const file of ['package.json', '.ci/run']) edit(file, (text) => text.replace(/^.*\btest:recipe\b.*\n/m, ''))
  for (const files of ['shared/pets', 'shared/books/pet*.ts', '{functions,test/functions,test/events}/*Pet*'])
    rename(files)
  replace('functions/*.ts', words)
  replace('test/events/*.json', { 'pet_local_\\w+': key }, words, fields)
  replace(['shared/books/*.ts', 'shared/contract.ts', 'README.md'], words, fields)
  replace(['test/support/example.ts', 'test/functions/*.ts'], words, fields)
  replace(['infra/local/database.ts', 'infra/commands/smoke.ts'], words, someFields)
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
  writeFileSync(
    join(folder, 'shared/books/books.ts'),
    "import { collection } from '../data/collection.ts'\nimport { Book } from './book.ts'\n\nexport const books = collection('books', Book)\n",
  )
  const aboutPets = /^Order a book\..*^(?=Every error)|^To make another service.*^(?=## Deploying)/gms
  edit('README.md', (text) => text.replaceAll(aboutPets, ''))
  edit('functions/README.md', (text) => text.replaceAll(/^.*\borders\b.*\n/gim, ''))
  run('npm run format && npx vitest run --config test/vitest.config.ts test/infra/openapi --update')

  run('npm run check')
})
