import { resources } from '../../shared/resources.ts'
import { reference, scopes } from '../../shared/service.ts'

const texts = Object.values(resources).map((resource) => resource.texts)

/** What a caller must know about an operation beyond its title; `undefined` if there is nothing. */
export const operationText = (id: string): string | undefined =>
  texts.map(({ operations }) => operations[id]).find(Boolean)

/** What the fields of the schema with this title mean, by their names. */
export const fieldTexts = (title: string): Readonly<Record<string, string>> | undefined =>
  texts.map(({ fields }) => fields[title]).find(Boolean)

/** What a parameter or a header of an operation means; `undefined` if it has no text. */
export const parameterText = (id: string, name: string): string | undefined => {
  const own = [`${id}.${name}`, name].flatMap((key) =>
    texts.map(({ parameters }) => parameters[key]),
  )
  return own.find(Boolean) ?? parameters[name]
}

const parameters: Record<string, string> = {
  limit: 'The maximum number of items to return.',
  cursor:
    'Where the page starts. Do not build a cursor: follow the URL in the `Link` header of the previous page.',
  'If-Match':
    'Changes the resource only if it still has this revision: its `ETag`, without `W/`. Otherwise, nothing happens, and the response is a 412. Several tags are separated by commas; `*` allows any revision.',
  'Idempotency-Key':
    'Makes the request safe to retry: it takes effect once, and every retry gets the original response. Use a new key of 1 to 255 visible ASCII characters, such as a UUID, for each new request. The service remembers a key for 24 hours.',
}

/** The introduction of the document. */
export const introduction = `${reference.introduction}

**Authentication.** Every request needs an API key: \`Authorization: Bearer <API_KEY>\`. A key has one or more of the scopes
${scopes.map((scope) => `\`${scope}\``).join(', ')}. A request that needs another one gets a 403.

**Errors.** Every error response has the same body: \`code\`, \`message\` and \`status\`. The code is the reason phrase of the
HTTP status in snake_case, such as \`not_found\`. The message says what is wrong and how to fix it. Responses with status
429, 502, 503 and 504 have a \`Retry-After\` header: the number of seconds to wait before a retry.

**Retries.** Requests that list or read are always safe to retry. A request that creates something is safe to retry if it has
an \`Idempotency-Key\`: it takes effect once, and every retry gets the original response. A request that changes something
sets the same values again. A request that deletes something gets a 404 if an earlier one deleted it. If a
request got no response, or a 5xx, it may still be running for ten seconds: until then, a 409 or a 422 of its retry is not
final.

**int64.** Integers can be as large as 9223372036854775807. Use a JSON parser that does not round large numbers. An \`id\` has
at most 53 bits, so every JSON parser reads it exactly.

**Unknown parameters and fields** are ignored, so check their spelling. This reference lists all that the service knows. A
body in which a key is \`__proto__\`, or \`constructor\` with a \`prototype\`, is refused at any depth.

**Pagination.** A list is a JSON array. If there are more items, the \`Link\` header contains the URL of the next page, with
\`rel="next"\`. Follow these links until a response has none.

**Clients.**
TypeScript and JavaScript have a typed client of their own, in \`infra/client\` of the service's repository.
${reference.generatorHint}`
