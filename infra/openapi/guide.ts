import { MAX_BODY_KIB } from '../../shared/model/api-error.ts'
import { reference, scopes } from '../../shared/service.ts'
import { componentSchemas } from './schemas.ts'
import { shopQuestions } from './shop-questions.ts'

/** The introduction of the document. Generators repeat it at the top of each file. */
export const introduction =
  `${reference.introduction} Every request needs an API key: ` +
  '`Authorization: Bearer <API_KEY>`.'

const scopeNames = scopes.map((scope) => `\`${scope}\``).join(', ')

/** What callers must know about all operations, in Markdown. */
export const guide = (): string => `\
**API keys.** A key has one or more of the scopes ${scopeNames}.
Each operation says which one it needs. Any web page may call the API (CORS): a key is not a cookie.

**Requests.** A body is JSON of at most ${MAX_BODY_KIB} KiB. An unknown query parameter is a 400.
Unknown fields of a body are ignored: the response shows what was stored. A body in which a key is \`__proto__\`, or \`constructor\` with a
\`prototype\`, is refused at any depth.

**Errors.** All errors have the same body: see \`Error\`. The message of a 409 may tell what the
scopes of the key do not let it read, such as a status or an id.

**Retries.** Send an \`Idempotency-Key\` of its own with each write (POST, PATCH, DELETE). If there is no
response, or a 429 or 5xx, wait for the seconds in \`Retry-After\`, and retry with the same key, for at
most 23 hours: keys are forgotten after 24. A success, or a 404, 409 or 412 of the operation, is
final: each further retry gets it, whatever has happened since. Any other 4xx says only that this
attempt did nothing. Another try is a new request, and needs another key. The same key with
a body that differs, even in an unknown field, is a 422.

Reads need no key. Without one, a retry may create something twice, and a delete that succeeded gets a
404.

**Revisions.** A response with one resource has its revision in \`ETag\`; the items of a list have
none. Send it as \`If-Match\` with a change or a delete. If somebody else has changed the resource
since, nothing happens, and the response is a 412.

**Lists.** A list is a JSON array, newest first. If there are more items, the header \`Link\` has the
URL of the next page, with \`rel="next"\`. Follow these links until a response has none. A request can
have one filter at most. A list shows a change after a moment, usually within a second.

**Numbers.** An int64 can be as large as 9223372036854775807: use a JSON parser that does not round
it. An \`id\` has at most 53 bits, so every parser reads it exactly. \`1.0\` and \`1e3\` are integers,
too, but beyond 2^53, write all digits.

**Deprecation.** The responses of a deprecated operation have the headers \`Deprecation\` (RFC 9745)
and \`Sunset\` (RFC 8594).

**Postman.** An imported request has one invented \`Idempotency-Key\` for all times that it is sent:
another body is a 422. Switch the header off, or let its value be \`{{$guid}}\`. Of the filters of a
list, leave one switched on.

${TYPESCRIPT}${goHint()}
${shopQuestions}`

// test/guide compiles and runs its blocks.
const TYPESCRIPT = `\
**TypeScript.** These commands make types from this document, and install a client that uses them.
\`<address>\` is the base address of the API.

\`\`\`sh
npx openapi-typescript <address>/openapi.json -o api.ts
npm install openapi-fetch
\`\`\`

\`send\` retries a request that got no response, a 429 or a 5xx, until it is aborted. All attempts of a
write have the same \`Idempotency-Key\`.

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
      pause += 1000 * Number(response.headers.get('Retry-After'))
    } catch (error) {
      // No response. In Node.js, a failure has a code, and a mistake such as a bad port has none.
      const { cause } = error as { cause?: { code?: string } }
      if (cause && !cause.code) throw error
    }
    await wait(pause * (1 + Math.random()), request.signal)
  }
  return fetch(request)
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
  })

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

/** In Go, the constructor of a type `Cat` is `NewCat`, so no type can have that name. */
const goHint = (): string => {
  const names = Object.keys(componentSchemas()).filter((name) => name.startsWith('New'))
  if (names.length === 0) return ''
  const mappings = names.map((name) => `${name}=${name.replace('New', '')}Input`)
  return `\n**Go.** OpenAPI Generator needs \`--model-name-mappings ${mappings}\`.\n`
}
