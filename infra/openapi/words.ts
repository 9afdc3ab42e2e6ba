import type { OperationId } from '../../shared/contract.ts'

/** What fields and parameters mean, by name. */
export const meanings: Record<string, string> = {
  id: 'Unique identifier of the pet, assigned by the service on creation.',
  name: "The pet's name.",
  categoryId: 'Identifier of the category that the pet belongs to.',
  status: 'Availability of the pet.',
  limit: 'How many pets a page has at most.',
  cursor: 'Where the page starts. Do not make one: take the whole address from the Link header of the page before.',
  petId: 'The identifier of the pet.',
  'Idempotency-Key':
    'Makes it safe to send the request again: the pet is added once, and the answer is the same. Remembered for 24 hours. Use a new one, such as a UUID, for each pet.',
}

/** What a field means, and what it may be; `undefined` where neither is known. */
export const fieldWords = (name: string, takes: unknown): string | undefined =>
  [meanings[name], takes && `It is ${takes}.`].filter(Boolean).join(' ') || undefined

/** What an operation does, in a few words. Not in its row of the contract, as no function needs it. */
export const summaries: Record<OperationId, string> = {
  listPets: 'List all animals',
  createPet: 'Add an animal',
  getPet: 'Get an animal',
}

/** What is to be known of an operation beyond that. */
export const descriptions: Partial<Record<OperationId, string>> = {
  listPets:
    'Newest first. Where there are more pets than `limit`, the header `Link` holds the address of the next page. What was added a moment ago may be missing.',
  createPet:
    'Unknown fields are ignored; none, at any depth, may have the name `__proto__`. A request whose answer is lost may be sent again, without adding a second pet, if it has an `Idempotency-Key`.',
  getPet: 'A pet can be read as soon as it was added. An id that is no int64 names no pet.',
}

/** What the document says first. */
export const introduction = `A pet store's catalogue: list, add and read pets.

**Keys.** Every request carries an API key: \`Authorization: Bearer <API_KEY>\`.

**Errors.** Every error has the same body: \`code\`, \`message\` and \`status\`. The code is the HTTP reason in snake_case; the
message says what was wrong and what to do. Errors 429, 503 and 504 say in \`Retry-After\` when to send the request again.

**Sending again.** A list or a read may be sent again at any time. So may a create that has an \`Idempotency-Key\`: the pet is
added once, and the answer is the same.

**int64.** \`categoryId\` is exact up to 9223372036854775807: read it with a JSON parser that does not round. An \`id\` fits into
53 bits.

**Pages.** A list is an array. Follow the address in its \`Link\` header, \`rel="next"\`, until there is none.

**Deprecation.** A deprecated operation says so on each answer: \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and a \`Link\` to
its successor.`
