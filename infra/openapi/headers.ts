import type { Row } from '../../shared/contract.ts'
import type { ApiError } from '../../shared/model/api-error.ts'
import type { Json } from './schemas.ts'

/** The headers of a success. */
export const successHeaders = (row: Row): Json =>
  pick([
    ...ALWAYS,
    ...(row.success.status === 201 ? ['Location'] : []),
    ...(row.headers && 'Idempotency-Key' in row.headers.entries ? ['Idempotent-Replayed'] : []),
    ...(row.query && 'cursor' in row.query.entries ? ['Link'] : []),
    ...deprecationOf(row),
  ])

/** The headers of an error. */
export const errorHeaders = (row: Row, { headers }: ApiError): Json =>
  pick([...ALWAYS, ...Object.keys(headers), ...deprecationOf(row)])

/** The headers of all responses, for the components of the document. */
export const componentHeaders = (): Json => headers

const ALWAYS = ['X-Request-Id']

const deprecationOf = ({ deprecated }: Row): string[] => (deprecated ? ['Deprecation', 'Sunset', 'Link'] : [])

const pick = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const text = (description: string, example: string, more: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...more },
  example,
})

const always = (header: Json): Json => ({ ...header, required: true })

const headers: Json = {
  'X-Request-Id': always(text('Names the request in the logs of the service.', 'WtooPXbkRGDu1bY=')),
  Location: always(text('The path of what was added.', '/v1/pets/373212905455903', { pattern: '/pets/\\d+$' })),
  'Idempotent-Replayed': text('An earlier request with the same key has added the animal.', 'true', { const: 'true' }),
  Link: text(
    'Addresses (RFC 8288): `next` is the next page of a list, `successor-version` what replaces a deprecated operation.',
    '<https://api.example.com/v1/pets?limit=1&cursor=AAFTb0vWvW4eQ0pM>; rel="next"',
  ),
  Deprecation: text('Since when the operation is deprecated (RFC 9745).', '@1795132800', { pattern: '^@\\d+$' }),
  Sunset: text('When the operation is removed (RFC 8594).', 'Thu, 05 Dec 2030 00:00:00 GMT'),
  'Retry-After': always(text('After how many seconds to send the request again.', '1', { pattern: '^\\d+$' })),
  'WWW-Authenticate': text(
    'What is wrong with the key (RFC 6750). API Gateway renames it to `x-amzn-Remapped-WWW-Authenticate`.',
    'Bearer realm="pet-store", error="invalid_token"',
  ),
}
