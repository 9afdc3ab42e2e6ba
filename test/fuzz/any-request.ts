import fc from 'fast-check'
import { createRequest } from './create-request.ts'
import { getRequest } from './get-request.ts'
import { headerText } from './header-text.ts'
import { listRequest } from './list-request.ts'
import { oneIn } from './one-in.ts'
import { rawRequest } from './raw-request.ts'
import { bytesOf, type ClientRequest, MIB_10, type Request } from './request.ts'
import { strayRequest } from './stray-request.ts'

const COMMON: Record<string, string | string[]>[] = [
  { Accept: 'text/html' },
  { 'Accept-Encoding': 'gzip, br' },
  { 'Content-Encoding': 'gzip' },
  { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'DELETE' },
  { 'X-Request-Id': 'mine', 'x-amzn-RequestId': 'mine' },
  { 'X-HTTP-Method-Override': 'DELETE', 'X-Forwarded-Proto': 'gopher', 'X-Forwarded-Host': 'evil.example' },
  { Range: 'bytes=0-1', 'If-None-Match': '*', 'If-Modified-Since': 'never' },
  { Connection: 'close' },
  { Connection: 'Upgrade', Upgrade: 'h2c' },
  { Expect: '100-continue' },
  { Expect: 'the worst' },
  { Host: 'shop.example:80' },
  { Host: '[::1]' },
  { 'X-Cat': ['a', 'b', 'a'] },
  { 'X-Cat': 'a'.repeat(4000) },
  Object.fromEntries([['__proto__', 'a']]),
  Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`X-${i}`, 'a'])),
]

const harmless = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: fc.constantFrom(...COMMON) },
  { weight: 1, arbitrary: headerText(100).map((text) => ({ 'User-Agent': text, Cookie: text, 'X-\u0041': text })) },
)

type Refusal = { headers: Record<string, string>; statuses: number[] }

/** Headers for which a request is refused before anything else of it is looked at, but for a body of more than 10 MB. */
const refused = fc.constantFrom<Refusal>(
  { headers: { 'X-Cat': 'a'.repeat(11_000) }, statuses: [431] },
  { headers: { Host: 'a/b' }, statuses: [400, 413] },
)

/** Where the target holds the host, too (RFC 9112, section 3.2.2), it is the same one. */
const form = fc.constantFrom('', '', '', '', '', '', '', 'http://a', 'HTTPS://A:1')

const dressed = (request: fc.Arbitrary<ClientRequest>, refused: fc.Arbitrary<Refusal | undefined>) =>
  fc.record({ request, harmless, refused, form }).map(
    ({ request, harmless, refused, form }): ClientRequest => ({
      ...request,
      target: form + request.target,
      headers: { ...harmless, ...request.headers, ...refused?.headers },
      ...(refused && { statuses: refused.statuses.filter((status) => status !== 413 || isLarge(request)) }),
    }),
  )

const isLarge = ({ body }: ClientRequest): boolean => body !== undefined && bytesOf(body).length > MIB_10

const forOperations = fc.oneof(
  { weight: 10, arbitrary: createRequest },
  { weight: 4, arbitrary: listRequest },
  { weight: 3, arbitrary: getRequest },
)

/** Any request. About half of them are good, or all but good, so that what is behind the checks is reached as well. */
export const anyRequest: fc.Arbitrary<Request> = fc.oneof(
  { weight: 16, arbitrary: dressed(forOperations, oneIn(50, refused)) },
  { weight: 3, arbitrary: dressed(strayRequest, fc.constant(undefined)) },
  { weight: 2, arbitrary: rawRequest },
)
