import fc from 'fast-check'
import { LOCAL_API_KEY } from '../../infra/local/announcement.ts'
import type { RawRequest } from './request.ts'

const KEY = `Host: a\r\nAuthorization: Bearer ${LOCAL_API_KEY}\r\n`
const CREATE = `POST /v1/pets HTTP/1.1\r\n${KEY}Content-Type: application/json\r\n`

/** Whole requests, from which all others are made. */
const WHOLE = [
  `GET /v1/pets?limit=2&status=sold HTTP/1.1\r\n${KEY}\r\n`,
  `GET /v1/pets/{id} HTTP/1.1\r\n${KEY}\r\n`,
  `GET http://a/v1/pets/7 HTTP/1.0\r\n${KEY}Connection: keep-alive\r\n\r\n`,
  `${CREATE}Content-Length: 29\r\n\r\n{"name":"Rex","categoryId":7}`,
  `${CREATE}Transfer-Encoding: chunked\r\n\r\n10\r\n{"name":"Rex","c\r\nd;a=b\r\nategoryId":7}\r\n0\r\nX-End: a\r\n\r\n`,
  `PUT /v1/pets HTTP/1.1\r\n${KEY}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  `OPTIONS /v1/pets HTTP/1.1\r\n${KEY}Origin: https://shop.example\r\n\r\n`,
]

const TOKENS = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\0',
    '\t',
    ' ',
    ':',
    '/',
    '?',
    '%',
    '#',
    '\x7f',
    '\x80',
    '\xff',
    '0',
    'f',
    '-',
    '\r\n\r\n',
    '\r\n\r\n\r\n',
  ],
  ...[
    'HTTP/1.0',
    'HTTP/1.1',
    'HTTP/9.9',
    'Host: b\r\n',
    'Connection: close\r\n',
    'Connection: Upgrade\r\nUpgrade: h2c\r\n',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Content-Length: -1\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip\r\n',
  ],
  ...['Expect: a\r\n', 'X-Cat: a\r\n b\r\n', `X-Cat: ${'a'.repeat(11_000)}\r\n`, '0\r\n\r\n', 'ffffffffffffffff\r\n'],
]

const change = fc.record({
  at: fc.nat(),
  cut: fc.constantFrom(0, 0, 1, 2, 20),
  put: fc.oneof(fc.constantFrom('', ...TOKENS), fc.constantFrom(...WHOLE)),
})

const changed = (text: string, { at, cut, put }: { at: number; cut: number; put: string }): string => {
  const place = at % (text.length + 1)
  return text.slice(0, place) + put + text.slice(place + cut)
}

/** Bytes that were one or two requests before something was put in, left out or replaced. */
export const rawRequest: fc.Arbitrary<RawRequest> = fc
  .tuple(fc.constantFrom(...WHOLE), fc.constantFrom('', '', ...WHOLE), fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([first, second, changes]) => ({ text: changes.reduce(changed, first + second) }))
