import { expect, test } from 'vitest'
import { referenceScript } from '../../infra/openapi/docs-page.ts'
import { publicDocuments } from '../../infra/openapi/public-documents.ts'
import { browser, server } from './surroundings.ts'
import { visit } from './visit.ts'

const { text, integrity, publicAddress } = referenceScript()

/** Opens the page as AWS serves it, for which this `script` stands on the CDN. */
const visitAsDeployed = async (script: string) => {
  const opened = await visit(browser, server.baseUrl)
  const page = publicDocuments({ address: publicAddress, integrity })['/docs']
  await opened.page.route('**/v1/docs', (route) => route.fulfill(page))
  const headers = { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/javascript; charset=utf-8' }
  await opened.page.route(publicAddress, (route) => route.fulfill({ headers, body: script }))
  await opened.page.goto(`${server.baseUrl}/docs`)
  return opened
}

test('takes its script from a CDN, and nothing else', async () => {
  const { page, complaints, elsewhere } = await visitAsDeployed(text)

  await page.getByLabel('Bearer Token').first().waitFor()
  expect(complaints).toEqual([])
  expect(elsewhere).toEqual([publicAddress])
})

test('runs no other script than the one that was installed', async () => {
  const { page, complaints } = await visitAsDeployed(`${text} `)

  await expect.poll(() => complaints).toEqual([expect.stringContaining('integrity'), 'Scalar is not defined'])
  expect(await page.getByRole('heading').count()).toBe(0)
})
