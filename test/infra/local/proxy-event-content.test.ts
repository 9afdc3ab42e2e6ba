import { expect, test } from 'vitest'
import { eventOf, eventOfText } from './event.ts'

test('keeps the case of header names, the last of repeated values, and all of them apart', async () => {
  const { headers, multiValueHeaders } = await eventOfText(
    'GET /v1/pets HTTP/1.1\r\nHost: a\r\ntEsT-HEADeR: aValUE\r\nX-Twice: one\r\nX-Twice: two\r\n\r\n',
  )

  expect(headers).toMatchObject({ 'tEsT-HEADeR': 'aValUE', 'X-Twice': 'two' })
  expect(multiValueHeaders).toMatchObject({ 'tEsT-HEADeR': ['aValUE'], 'X-Twice': ['one', 'two'] })
})

test('has no header that is about the connection, and none that API Gateway sets from the client', async () => {
  const connection =
    'Connection: close\r\nKeep-Alive: 5\r\nTE: trailers\r\nContent-Length: 0\r\nX-Forwarded-For: 1.2.3.4'

  const { headers } = await eventOfText(
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${connection}\r\nX-FORWARDED-PROTO: https\r\n\r\n`,
  )

  expect(headers).toEqual({
    Host: 'a',
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Port': expect.stringMatching(/^\d+$/),
    'X-Forwarded-Proto': 'http',
  })
})

test.each([
  ['text', Buffer.from('{"name":"Žofie 🐈"}'), '{"name":"Žofie 🐈"}', false],
  ['text with a byte order mark', Buffer.from('\uFEFF{}'), '\uFEFF{}', false],
  ['a replacement character that was sent', Buffer.from('\uFFFD'), '\uFFFD', false],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'e//+fQ==', true],
  ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0xbd]), '7aC9', true],
  ['nothing', Buffer.alloc(0), null, false],
])('has a body of %s unharmed', async (_name, sent, body, isBase64Encoded) => {
  const event = await eventOf({ method: 'POST', path: '/v1/pets', body: sent })

  expect([event.body, event.isBase64Encoded]).toEqual([body, isBase64Encoded])
})

test('has a body that came in chunks as one', async () => {
  const event = await eventOfText(
    'POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n',
  )

  expect([event.body, event.multiValueHeaders['Transfer-Encoding']]).toEqual(['{}', undefined])
})
