import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openApiDocument } from '../../../infra/openapi/document.ts'
import {
  inertJson,
  publicDocuments,
  referenceScript,
  referenceScriptText,
} from '../../../infra/openapi/public-documents.ts'
import { exactJson, stringifyJson } from '../../../shared/model/json.ts'

const { integrity, publicAddress } = referenceScript
const documents = publicDocuments({ address: publicAddress, integrity })
const { headers: pageHeaders = {}, body: page = '' } = documents['/docs'] ?? {}

test('the served document has exactly the values of the document', () => {
  const { body = '' } = documents['/openapi.json'] ?? {}

  expect(stringifyJson(exactJson(body, JSON.parse(body)))).toBe(stringifyJson(openApiDocument()))
  expect(body).toContain(':9223372036854775807')
})

test.each(Object.entries(documents))('%s is a template in which API Gateway replaces nothing', (_, { body }) => {
  expect(body).toMatch(/^[ -~\n]+$/)
  expect(body).not.toMatch(/[$#]|\\\\/)
  expect(body.length).toBeLessThan(100_000) // API Gateway's limit for a template is 300 KB.
})

test.each([
  { $ref: '#/components/schemas/Pet' },
  ['$context.requestId', '$!{util}', '#set($a = 1)', '##', '#[[ ]]#'],
  ['\\', '\\\\', '\\$', '\\#end', '\\"', '\n\\n', '"'],
  ['é', '→', '𝄞', '\u007f'],
  [1, -9.5, true, null, {}],
])('inertJson keeps the value and escapes what a template would replace: %j', (value) => {
  const text = inertJson(JSON.stringify(value))

  expect(JSON.parse(text)).toEqual(value)
  expect(text).toMatch(/^[ -~]*$/)
  expect(text).not.toMatch(/[$#]|\\\\/)
})

test('the page can run two scripts only: the installed one and its own', () => {
  const installed = referenceScriptText()
  const hashOf = (algorithm: string, data: string) =>
    `${algorithm}-${createHash(algorithm).update(data).digest('base64')}`

  const [library, own, ...others] = [...page.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)]

  const hashes = { library: hashOf('sha384', installed), own: hashOf('sha256', own?.[2] ?? '') }
  expect(library?.[1]).toBe(` src="${publicAddress}" integrity="${hashes.library}" crossorigin="anonymous"`)
  expect(library?.[2]).toBe('')
  expect(own?.[1]).toBe('')
  expect(own?.[2]).toContain('"servers":[{"url":"/v1","description":"The deployment that serves this document"}]')
  expect(others).toEqual([])
  expect(pageHeaders['Content-Security-Policy']).toBe(
    `default-src 'none'; script-src '${hashes.library}' '${hashes.own}'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src data:`,
  )
})

test('the version of the script is pinned in package.json', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const version = devDependencies['@scalar/fastify-api-reference']

  expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(publicAddress).toBe(`https://cdn.jsdelivr.net/npm/@scalar/api-reference@${version}/dist/browser/standalone.js`)
})
