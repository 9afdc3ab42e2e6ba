import { expect, test, vi } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { serve } from './front.ts'
import { wireTo } from './wire.ts'

const GET = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n'
const POST = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\n'
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`
const END = '0\r\n\r\n'
const BAD_REQUEST = '{"code":"bad_request","message":"The request is malformed.","status":400}'

/** What an attacker hides in the body of a request, or behind it, for the server to take for the next one. */
const SMUGGLED = 'GET /v1/pets/7 HTTP/1.1\r\nHost: a\r\n\r\n'

test.each([
  ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}`],
  ['the same length twice', `${POST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`],
  ['a list of lengths', `${POST}Content-Length: 2, 2\r\n\r\n{}`],
  ['an empty length', `${POST}Content-Length:\r\n\r\n{}`],
  ['a length with a sign', `${POST}Content-Length: +2\r\n\r\n{}`],
  ['a negative length', `${POST}Content-Length: -2\r\n\r\n{}`],
  ['a length in hexadecimal', `${POST}Content-Length: 0x2\r\n\r\n{}`],
  ['a length beyond 64 bits', `${POST}Content-Length: 18446744073709551618\r\n\r\n{}`],
  ['a space before the colon of a length', `${POST}Content-Length : 2\r\n\r\n{}`],
  ['a length before chunks', `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${END}`],
  ['a length behind chunks', `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${END}`],
  ['a coding that is not known', `${POST}Transfer-Encoding: xchunked\r\n\r\n${END}`],
  ['no coding', `${POST}Transfer-Encoding: identity\r\n\r\n${END}`],
  ['an empty coding', `${POST}Transfer-Encoding:\r\n\r\n${END}`],
  ['a coding in quotes', `${POST}Transfer-Encoding: "chunked"\r\n\r\n${END}`],
  ['a coding with a parameter', `${POST}Transfer-Encoding: chunked;q=1\r\n\r\n${END}`],
  ['a coding behind a vertical tab', `${POST}Transfer-Encoding: \vchunked\r\n\r\n${END}`],
  ['chunks within chunks', `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n${END}`],
  ['chunks that are not the last coding', `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n${END}`],
  ['two headers of codings', `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n${END}`],
  ['a space before the colon of a coding', `${POST}Transfer-Encoding : chunked\r\n\r\n${END}`],
  ['a folded header', `${POST}Transfer-Encoding:\r\n chunked\r\n\r\n${END}`],
  ['a first header that is folded', 'GET /v1/pets HTTP/1.1\r\n Host: a\r\n\r\n'],
  ['a header behind a line feed', `${POST}X-Cat: a\nTransfer-Encoding: chunked\r\n\r\n${END}`],
  ['a header behind a carriage return', `${POST}X-Cat: a\rTransfer-Encoding: chunked\r\n\r\n${END}`],
  ['a head that ends in a line feed', `${GET}\n`],
  ['a chunk without a size', `${CHUNKED}\r\n{}\r\n${END}`],
  ['a chunk whose size is none', `${CHUNKED}two\r\n{}\r\n${END}`],
  ['a chunk whose size is beyond 64 bits', `${CHUNKED}10000000000000002\r\n{}\r\n${END}`],
  ['a chunk whose size has a prefix', `${CHUNKED}0x2\r\n{}\r\n${END}`],
  ['a chunk whose size is negative', `${CHUNKED}-2\r\n{}\r\n${END}`],
  ['a chunk whose size ends in a space', `${CHUNKED}2 \r\n{}\r\n${END}`],
  ['a chunk whose size ends in a line feed', `${CHUNKED}2\n{}\r\n${END}`],
  ['a chunk extension that ends in a line feed', `${CHUNKED}2;a\n{}\r\n${END}`],
  ['a chunk extension that spans lines', `${CHUNKED}2;a="\r\n"\r\n{}\r\n${END}`],
  ['a chunk extension of 20 KB', `${CHUNKED}2;${'a'.repeat(20_000)}\r\n{}\r\n${END}`],
  ['a chunk that is longer than it says', `${CHUNKED}1\r\n{}\r\n${END}`],
  ['a chunk that is shorter than it says', `${CHUNKED}3\r\n{}\r\n${END}`],
  ['a chunk that ends in a line feed', `${CHUNKED}2\r\n{}\n${END}`],
  ['chunks that end in line feeds', `${CHUNKED}0\n\n`],
  ['a length behind the last chunk', `${CHUNKED}0\r\nContent-Length: 40\r\n\r\n`],
  ['a coding behind the last chunk', `${CHUNKED}0\r\nTransfer-Encoding: chunked\r\n\r\n`],
])('answers 400 to %s, and takes nothing more from that connection', async (_name, text) => {
  const getPet = vi.fn<Handler>()
  const wire = await wireTo((await serve({ getPet })).port)

  wire.socket.write(text + SMUGGLED, 'latin1')
  const head = await wire.take(/\r\n\r\n/)

  expect([head.split('\r\n')[0], await wire.rest()]).toEqual(['HTTP/1.1 400 Bad Request', BAD_REQUEST])
  expect(head).toContain('\r\nConnection: close\r\n')
  expect(getPet).not.toHaveBeenCalled()
})
