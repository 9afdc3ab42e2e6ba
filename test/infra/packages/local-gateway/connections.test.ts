import { expect, test, vi } from 'vitest'
import { serveRoutes } from '../../../../infra/local/local-api.ts'
import {
  ask,
  echo,
  GET,
  gatewayResponse,
  listenUntilEnd,
  MALFORMED,
  ok,
  POST,
  serveFunction,
  wireTo,
} from './gateway.ts'

const UNKNOWN_METHOD = gatewayResponse(
  400,
  'bad_request',
  'The request has an unknown method. Methods are written in upper case, such as PATCH.',
)
const HEADERS_TOO_LARGE = gatewayResponse(
  431,
  'request_header_fields_too_large',
  'The URL and headers must be smaller than 10240 bytes.',
)
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`

test.each<[name: string, text: string, response?: object]>([
  ['a header over 10 KB', `${POST}X-A: ${'a'.repeat(10_240)}\r\n\r\n`, HEADERS_TOO_LARGE],
  ['bytes that are not HTTP', 'Hello\r\n\r\n', UNKNOWN_METHOD],
  ['a broken chunk', `${CHUNKED}x\r\n`, MALFORMED],
  ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a complete request and bytes that are not HTTP', `${POST}\r\nHello\r\n\r\n`],
])(
  'closes the connection after %s, with an error if no request is in flight',
  async (_name, text, error) => {
    const invoked = vi.fn(ok)
    const served = await serveFunction(invoked)
    const wire = await wireTo(served, text + GET)

    if (error) expect(await wire.response()).toEqual(error)
    else expect(await wire.rest()).toBe('')
    const smuggled = expect.objectContaining({ httpMethod: 'GET' })
    expect(invoked).not.toHaveBeenCalledWith(smuggled)
    expect((await ask(served, { method: 'POST' })).status).toBe(200)
  },
)

test('returns 408 to a request whose headers do not arrive', async () => {
  const gateway = serveRoutes([])
  // By default, Node.js waits for a minute, and looks each half a minute.
  Object.assign(gateway.server, { headersTimeout: 1, connectionsCheckingInterval: 1 })
  const wire = await wireTo(await listenUntilEnd(gateway), GET.slice(0, 9))

  const message = 'The request did not arrive in time. Send it again.'
  expect(await wire.response()).toEqual(gatewayResponse(408, 'request_timeout', message))
})

test('reads a request with an unknown expectation', async () => {
  const request = { method: 'POST', headers: { Expect: 'something' }, body: '{}' }

  const response = await ask(await serveFunction(echo), request)

  expect(response).toMatchObject({ status: 200, body: { body: '{}' } })
})

test('holds a body once, whatever its chunks', async () => {
  const { maxRSS } = process.resourceUsage()
  const chunks = '1\r\nx\r\n'.repeat(200_000)
  const wire = await wireTo(await serveFunction(), `${CHUNKED}${chunks}0\r\n\r\n${GET}`)

  expect(await wire.rest()).toMatch(/^HTTP\/1.1 200 OK/)
  expect(process.resourceUsage().maxRSS - maxRSS).toBeLessThan(100_000) // KiB
})
