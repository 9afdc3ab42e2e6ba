import fc from 'fast-check'
import { anyBody } from './any-body.ts'
import { authorization } from './authorization.ts'
import { contentType } from './content-type.ts'
import { idempotencyKey } from './idempotency-key.ts'
import { oneIn } from './one-in.ts'
import { type Body, bytesOf, type ClientRequest, MIB_10, statusesOf } from './request.ts'
import { retry } from './retry.ts'

const KIB_256 = 256 * 1024

const framing = fc.constantFrom<Record<string, string>>({}, {}, { 'Transfer-Encoding': 'chunked' })

/** How many bytes a body is filled up to, with spaces: mostly none, a few around each limit. */
const size = fc.oneof(
  { weight: 400, arbitrary: fc.constant(0) },
  { weight: 12, arbitrary: fc.constantFrom(KIB_256 - 1, KIB_256, KIB_256 + 1) },
  { weight: 1, arbitrary: fc.constantFrom(MIB_10 - 1, MIB_10, MIB_10 + 1, MIB_10 + 1_000_000) },
)

const filled = (body: Body, size: number): Body => ({ ...body, spaces: Math.max(0, size - bytesOf(body).length) })

/** A request that adds a pet, or almost. */
export const createRequest: fc.Arbitrary<ClientRequest> = fc
  .record({ authorization, contentType, idempotencyKey, framing, size, content: anyBody, again: oneIn(10, retry) })
  .map(({ authorization, contentType, framing, size, again, ...once }) => {
    const { content, idempotencyKey } = again ?? once
    const body = size > 0 && content.body ? filled(content.body, size) : content.body
    const bytes = body ? bytesOf(body).length : 0
    const statuses = statusesOf(
      [
        [bytes > MIB_10 ? 'always' : 'never', 413],
        [authorization.refused, 401],
        [bytes > KIB_256 ? 'always' : 'never', 413],
        [contentType.refused, 415],
        [content.refused, 400],
        [idempotencyKey.refused, 400],
        [idempotencyKey.reused, 422],
      ],
      201,
    )
    const headers = { ...authorization.headers, ...contentType.headers, ...idempotencyKey.headers, ...framing }
    const { key } = idempotencyKey
    return { ...content, ...(body && { body }), method: 'POST', target: '/v1/pets', headers, key, statuses }
  })
