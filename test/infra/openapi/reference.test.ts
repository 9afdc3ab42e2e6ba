import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { referencePage, referenceScriptText } from '../../../infra/openapi/reference.ts'
import { service } from '../../../shared/service.ts'

const { headers, body: page } = referencePage()

test('the page can run two scripts only: its own, and the installed one, from a CDN', () => {
  const installed = referenceScriptText()
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const version = devDependencies['@scalar/fastify-api-reference']
  const files = `https://cdn.jsdelivr.net/npm/@scalar/api-reference@${version}/dist/`
  const hashOf = (algorithm: string, data: string) =>
    `${algorithm}-${createHash(algorithm).update(data).digest('base64')}`

  const [library, settings, own, ...others] = [...page.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)]

  const hashes = { library: hashOf('sha384', installed), own: hashOf('sha256', own?.[2] ?? '') }
  expect(library?.[1]).toBe(
    ` src="${files}browser/standalone.js" integrity="${hashes.library}" crossorigin="anonymous"`,
  )
  expect(library?.[2]).toBe('')
  expect(settings?.[1]).toBe(' type="application/json"') // Data, which does not run.
  expect(own?.[1]).toBe('')
  expect(own?.[2]).toBe(readFileSync('infra/openapi/reference/start.js', 'utf8'))
  expect(others).toEqual([])
  expect(headers['Content-Security-Policy']).toBe(
    `default-src 'none'; script-src '${hashes.library}' '${hashes.own}'; connect-src 'self'; ` +
      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
      'img-src data:',
  )
})

test('the page offers only the server that it comes from, which its policy allows', () => {
  const [, settings = ''] = /<script type="application\/json">(.*)<\/script>/.exec(page) ?? []

  expect(JSON.parse(settings)).toEqual({
    url: `${service.basePath}/openapi.json`,
    servers: [{ url: service.basePath }],
    customCss: readFileSync('infra/openapi/reference/style.css', 'utf8'),
  })
})
