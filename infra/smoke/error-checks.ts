import { isDeepStrictEqual } from 'node:util'
import { type KeyPrefix, newApiKey } from '../../shared/model/api-key.ts'
import type { Check } from './check.ts'

/** Every error has the same body, also those that API Gateway makes. */
export const errorsAreAsSaid = (key: string, keyPrefix: KeyPrefix): Check[] => [
  error(
    'POST /pets with a wrong body',
    { method: 'POST', path: '/pets', key, body: '{"name":""}' },
    400,
    'bad_request',
  ),
  { ...error('GET /pets without a key', { path: '/pets' }, 401, 'unauthorized'), header: CHALLENGE },
  {
    ...error('GET /pets with an unknown key', { path: '/pets', key: newApiKey(keyPrefix) }, 401, 'unauthorized'),
    header: CHALLENGE,
  },
  error('GET /pets/1', { path: '/pets/1', key }, 404, 'not_found'),
  error('GET /smoke-test', { path: '/smoke-test', key }, 404, 'not_found'),
  error('GET /pets/1/smoke-test', { path: '/pets/1/smoke-test', key }, 404, 'not_found'),
  {
    ...error('DELETE /pets', { method: 'DELETE', path: '/pets', key }, 405, 'method_not_allowed'),
    header: { names: ['Allow'], value: /GET.*POST/ },
  },
]

// API Gateway renames the header of RFC 6750 on the way out.
const CHALLENGE = { names: ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate'], value: /^Bearer / }

const error = (what: string, request: Check['request'], status: number, code: string): Check => ({
  what,
  request,
  status,
  body: { described: `the Error body of ${code}`, fits: (body) => isErrorBody(body, status, code) },
})

const isErrorBody = (body: unknown, status: number, code: string): boolean => {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : ''
  return typeof message === 'string' && message !== '' && isDeepStrictEqual(body, { code, message, status })
}
