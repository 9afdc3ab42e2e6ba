import { scopes } from '../../shared/service.ts'

const scopeNames = scopes.map((scope) => `\`${scope}\``).join(', ')

/** What callers must know about all operations, in Markdown. test/guide runs its TypeScript. */
export const guide = `\
**API keys.** A key has one or more of the scopes ${scopeNames}.
Each operation says which one it needs. The message of a 409 may tell what the scopes of the key do
not let it read, such as a status or an id.

**Requests.** Unknown fields of a body are ignored: the response shows what was stored. An unknown
query parameter is a 400.

**Retries.** Send an \`Idempotency-Key\` of its own with each write (POST, PATCH, DELETE). If there is no
response, or a 429 or 5xx, wait as \`Retry-After\` says, and retry with the same key, for at
most 23 hours: keys are forgotten after 24. A success, or a 404, 409 or 412 of the operation, is
final: each further retry gets it, whatever has happened since. Any other 4xx says only that this
attempt did nothing. Another try is a new request, and needs another key: with the same one, another
body is a 422. Reads need no key.

**Lists.** The newest items come first. If there are more, the header \`Link\` has the URL of the next
page, with \`rel="next"\`. Follow these links until a response has none. A request can have one filter
at most. A list shows a change after a moment, usually within a second.

**Numbers.** An int64 can be as large as 9223372036854775807: use a JSON parser that does not round
it. An \`id\` has at most 53 bits, so every parser reads it exactly.

**TypeScript.** These commands make types from this document, and install a client that uses them.
\`<address>\` is the base address of the API.

\`\`\`sh
npx openapi-typescript <address>/openapi.json -o api.ts
npm install openapi-fetch
\`\`\`

\`send\` retries a request that got no response, a 429 or a 5xx. All attempts of a write have the same
\`Idempotency-Key\`.

\`\`\`ts
import createClient from 'openapi-fetch'
import type { paths } from './api.js'

const send = async (request: Request): Promise<Response> => {
  if (request.method !== 'GET' && !request.headers.has('Idempotency-Key'))
    request.headers.set('Idempotency-Key', crypto.randomUUID())
  for (let pause of [100, 200, 400, 800]) {
    try {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(30_000)])
      const response = await fetch(request.clone(), { signal })
      await response.clone().text() // Fails if the body is lost.
      if (response.status !== 429 && response.status < 500) return response
      const after = response.headers.get('Retry-After') ?? '' // Seconds, or a date.
      pause += Math.max(0, 1000 * Number(after) || Date.parse(after) - Date.now() || 0)
    } catch {
      request.signal.throwIfAborted() // No response: unless aborted, send it again.
    }
    await new Promise((resolve) => setTimeout(resolve, pause * (1 + Math.random())))
  }
  return fetch(request)
}

const headers = { Authorization: 'Bearer <API_KEY>' }
const client = createClient<paths>({ baseUrl: '<address>', headers, fetch: send })
\`\`\`

All items of a list, page by page:

\`\`\`ts
async function* allPets() {
  let next: string | undefined
  do {
    const query: { cursor?: string } = next ? Object.fromEntries(new URL(next).searchParams) : {}
    const { data, error, response } = await client.GET('/pets', { params: { query } })
    if (error) throw new Error(error.message)
    yield* data
    next = /<(.+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
  } while (next)
}

for await (const pet of allPets()) console.log(pet.id, pet.name)
\`\`\`

An int64 beyond 2^53, in Node.js 22 and current browsers:

\`\`\`ts
const { data, error } = await client.GET('/pets', { parseAs: 'text' })
if (error) throw new Error(error.message)
const pets = JSON.parse(data, (key, value, context?: { source: string }) =>
  key === 'categoryId' ? BigInt(context!.source) : value)
\`\`\`
`
