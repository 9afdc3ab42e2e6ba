import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { referenceScript } from '../../../infra/openapi/docs-page.ts'
import { openApiDocument } from '../../../infra/openapi/document.ts'
import { publicDocuments } from '../../../infra/openapi/public-documents.ts'
import { exactJson, stringifyJson } from '../../../shared/model/json.ts'

const { integrity, publicAddress } = referenceScript()
const documents = publicDocuments({ address: publicAddress, integrity })
const { headers: pageHeaders = {}, body: page = '' } = documents['/docs'] ?? {}

const scriptsOf = (html: string) => [...html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)]

test('the document that is served is the document, digit for digit', () => {
  const { body = '' } = documents['/openapi.json'] ?? {}

  expect(stringifyJson(exactJson(body, JSON.parse(body)))).toBe(stringifyJson(openApiDocument()))
  expect(body).toContain(':9223372036854775807')
})

test.each(Object.entries(documents))('%s is a template that API Gateway fills nothing into', (_, { body }) => {
  expect(body).toMatch(/^[ -~\n]+$/)
  expect(body).not.toMatch(/[$#]|\\\\/)
  // API Gateway's limit of a template is 300 KB.
  expect(body.length).toBeLessThan(100_000)
})

test('the page runs two scripts: the very one that is installed, and its own', () => {
  const installed = readFileSync('node_modules/@scalar/api-reference/dist/browser/standalone.js')
  const hashOf = (algorithm: string, data: string | Buffer) =>
    `${algorithm}-${createHash(algorithm).update(data).digest('base64')}`

  const [library, own, ...others] = scriptsOf(page)

  const hashes = { library: hashOf('sha384', installed), own: hashOf('sha256', own?.[2] ?? '') }
  expect(library?.[1]).toBe(` src="${publicAddress}" integrity="${hashes.library}" crossorigin="anonymous"`)
  expect(library?.[2]).toBe('')
  expect(own?.[1]).toBe('')
  expect(others).toEqual([])
  expect(pageHeaders['Content-Security-Policy']).toBe(
    `default-src 'none'; script-src '${hashes.library}' '${hashes.own}'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src data:`,
  )
})

test('the script is of a version that nothing but a change of package.json changes', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const version = devDependencies['@scalar/api-reference']

  expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(publicAddress).toBe(`https://cdn.jsdelivr.net/npm/@scalar/api-reference@${version}/dist/browser/standalone.js`)
})

test('the page is a document of HTML', () => {
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(pageHeaders).toEqual({
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': expect.any(String),
    'Content-Type': 'text/html; charset=utf-8',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
})
