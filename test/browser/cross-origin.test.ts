import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { listeningAddress } from '../../infra/local/ports.ts'
import { gatewayResponses } from '../../infra/platform/gateway.ts'
import { server, visit } from './browser.ts'

/** A page of another origin, so that the browser asks with preflights. */
const elsewhere = createServer((_, response) => {
  response
    .setHeader('Content-Type', 'text/html')
    .end('<!doctype html><link rel="icon" href="data:,">')
})
await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
afterAll(() => elsewhere.close())
const { port } = listeningAddress(elsewhere)

/** Sends a request from the page. Returns what its script may read of the response. */
const fetchFrom = (page: Page, path: string, method: string, extra: string[] = []) => {
  const headers = Object.fromEntries(extra.map((name) => [name, '1']))
  const sent = { method, headers: { Authorization: `Bearer ${server.apiKey}`, ...headers } }
  return page.evaluate(
    async ({ url, sent }) => {
      const response = await fetch(url, sent)
      return { status: response.status, body: await response.json() }
    },
    { url: server.baseUrl + path, sent },
  )
}

const openPage = async (): Promise<Page> => {
  const { page } = await visit()
  await page.goto(`http://127.0.0.1:${port}/`)
  return page
}

test('a page of another origin may send the headers of tracing', async () => {
  const page = await openPage()

  const tracing = ['traceparent', 'X-B3-TraceId', 'X-Requested-With']
  expect(await fetchFrom(page, '/pets', 'GET', tracing)).toMatchObject({ status: 200 })
})

test.each(['GET', 'DELETE'])('it reads the 404 of a %s of an unknown path', async (method) => {
  const page = await openPage()

  const { notFound } = gatewayResponses
  expect(await fetchFrom(page, '/pet', method)).toEqual({ status: 404, body: notFound.body })
})
