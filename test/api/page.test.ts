import { expect, test } from 'vitest'
import { service } from '../../shared/service.ts'
import { callAnonymously } from '../support/api.ts'

test.each([
  ['/docs', {}],
  ['/docs/', { Authorization: 'Bearer wrong' }],
])('serves a page that shows the document at %s to anybody, with %o', async (path, sent) => {
  const { status, headers, text } = await callAnonymously({ path, headers: sent })

  const policy =
    /^default-src 'none'; script-src 'sha384-\S+' 'sha256-\S+'; connect-src 'self'; .+; img-src data:$/
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': 'no-cache',
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^\S+$/),
  })
  expect(headers['content-security-policy']).toMatch(policy)
  expect(text).toContain(`"url":"${service.basePath}/openapi.json"`)
})
