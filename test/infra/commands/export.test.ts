import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { exportItems } from '../../../infra/commands/export.ts'
import { importPets } from '../../../infra/commands/import.ts'
import { csvLine } from '../../../infra/commands/pet-rows.ts'
import { pets } from '../../../shared/pets/pets.ts'
import { storedItems } from '../../support/database.ts'
import { type Fate, serveFake } from '../../support/fake-api.ts'
import { inOwnTransactions } from '../../support/in-own-transactions.ts'
import { deploymentAt, serveDeployment } from '../../support/local-deployment.ts'
import { temporaryFolder } from '../../support/server.ts'

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})
vi.spyOn(console, 'error').mockImplementation(() => {})

const PETS = [
  String.raw`{"id":2,"name":"\\ \"Re,x\"","categoryId":9223372036854775807,"status":"sold"}`,
  '{"id":1,"name":"\u2028","categoryId":-9007199254740993}',
]

const page = (...items: string[]) => ({ status: 200, body: `[${items}]` })
const link = { Link: '<http://203.0.113.1/v1/pets?limit=100&cursor=AAAA>; rel="next"' }
/** Two pages, of which the first names another host for the second. */
const pages: Fate[] = [{ ...page(`${PETS[0]}`), headers: link }, page(`${PETS[1]}`)]

const { signal } = new AbortController()
const fileOf = (name: string) => join(temporaryFolder(), name)

test('writes all pages as they are, and takes only the cursor from a link', async () => {
  const { baseUrl, requests } = await serveFake(...pages)
  const file = fileOf('pets.jsonl')

  await exportItems('pets', file, deploymentAt(baseUrl), signal)

  expect(readFileSync(file, 'utf8')).toBe(PETS.map((pet) => `${pet}\n`).join(''))
  expect(printed).toHaveBeenLastCalledWith(`${file} has 2 pets.`)
  const paths = ['/v1/pets?limit=100', '/v1/pets?limit=100&cursor=AAAA']
  expect(requests.map(({ path }) => path)).toEqual(paths)
})

test('a line of CSV has all digits, and objects as JSON', () => {
  const cells = ['a', undefined, 9223372036854775807n, { size: 1n }, ['b']]

  expect(csvLine(cells)).toBe('a,,9223372036854775807,"{""size"":1}","[""b""]"\r\n')
})

test('two exports to one file at once leave one file, which is whole', async () => {
  const file = fileOf('pets.jsonl')
  const apis = [await serveFake(...pages), await serveFake(page(`${PETS[1]}`))]

  await Promise.all(
    apis.map(({ baseUrl }) => exportItems('pets', file, deploymentAt(baseUrl), signal)),
  )

  const whole = [`${PETS[1]}\n`, PETS.map((pet) => `${pet}\n`).join('')]
  expect(whole).toContain(readFileSync(file, 'utf8'))
  expect(readdirSync(dirname(file))).toEqual(['pets.jsonl'])
})

test('an older file stays as it is when the API refuses a page', async () => {
  const body = '{"code":"bad_request","message":"Made by the test.","status":400}'
  const { baseUrl } = await serveFake(
    { ...page(`${PETS[0]}`), headers: link },
    { status: 400, body },
  )
  const file = fileOf('pets.jsonl')
  writeFileSync(file, 'old')

  const exported = exportItems('pets', file, deploymentAt(baseUrl), signal)

  await expect(exported).rejects.toThrow('The API refused a page: Made by the test.')
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readdirSync(dirname(file))).toEqual(['pets.jsonl'])
})

test.each(['jsonl', 'csv'])('what it writes as %s can be imported', async (format) => {
  const deployment = await serveDeployment()
  const { create } = inOwnTransactions(pets)
  await create({ name: '"a\r\nb, =1"', categoryId: 2n ** 63n - 1n, status: 'sold' })
  await create({ name: '1e3', categoryId: -7 })
  const file = fileOf(`pets.${format}`)
  const stored = async () =>
    (await storedItems()).map((pet) => `${pet.name} ${pet.categoryId} ${pet.status}`)
  const before = await stored()

  await exportItems('pets', file, deployment, signal)
  await importPets(file, deployment, signal)

  expect((await stored()).toSorted()).toEqual([...before, ...before].toSorted())
})
