import type { OperationId } from '../../shared/contract.ts'

/** What a caller must know about an operation beyond its title. An operation may have none. */
export const descriptions: Partial<Record<OperationId, string>> = {
  listPets:
    'Returns pets, newest first. If there are more pets than `limit`, the `Link` header contains the URL of the next page. A pet that was added a moment ago may not be listed yet.',
  createPet:
    'Adds a pet, and returns it with the `id` that the service assigned. To retry a request without adding a second pet, send an `Idempotency-Key` and repeat it with each retry.',
  getPet:
    'Returns the pet with this identifier. A pet can be read as soon as it has been added. An identifier that is not an int64 gets the same response as an unknown one: 404.',
  updatePet:
    'Replaces the fields that the body has, and returns the whole pet (JSON merge patch, RFC 7396). The body must have at least one of `name`, `categoryId` and `status`. A `status` of `null` removes the status. Without `If-Match`, the last of several requests that change a field at the same time wins.',
  deletePet:
    'Deletes the pet. From then on, every request for it gets a 404. A retry of the request that added the pet does not bring it back. A list may still contain the pet for a moment.',
}

const petFields = {
  id: 'The unique identifier of the pet, assigned by the service when the pet is added.',
  name: "The pet's name.",
  categoryId: 'The identifier of the category that the pet belongs to.',
  status: 'The availability status of the pet.',
}

/** What the fields of the schemas mean, by the title of the schema. A field may have no description. */
export const fieldDescriptions: Record<string, Record<string, string>> = {
  NewPet: petFields,
  PetChanges: petFields,
  Pet: petFields,
  Error: {
    code: 'The machine-readable error code: the reason phrase of the HTTP status in snake_case.',
    message: 'The human-readable description of the error: what is wrong and how to fix it.',
    status: 'The HTTP status code of the response.',
  },
}

/** What parameters and headers mean. Those without a description show their rule. */
export const parameterDescriptions: Record<string, string> = {
  limit: 'The maximum number of items to return.',
  status: 'Returns only items with this availability status.',
  petId: 'The identifier of the pet.',
  cursor: 'Where the page starts. Do not build a cursor: follow the URL in the `Link` header of the previous page.',
  'If-Match':
    'Changes the resource only if it still has this revision: its `ETag`, without `W/`. Otherwise, nothing happens, and the response is a 412. Several tags are separated by commas; `*` allows any revision.',
  'Idempotency-Key':
    'Makes the request safe to retry: it takes effect once, and every retry gets the original response. Use a new key of 1 to 255 visible ASCII characters, such as a UUID, for each new request. The service remembers a key for 24 hours.',
}

/** The introduction of the document. */
export const introduction = `The catalog of a pet store: list, add, read, change and delete pets.

**Authentication.** Every request needs an API key: \`Authorization: Bearer <API_KEY>\`. A key has one or both of the
scopes \`pets:read\` and \`pets:write\`. A request that needs the other one gets a 403.

**Errors.** Every error response has the same body: \`code\`, \`message\` and \`status\`. The code is the reason phrase of the
HTTP status in snake_case, such as \`not_found\`. The message says what is wrong and how to fix it. Responses with status
429, 503 and 504 have a \`Retry-After\` header: the number of seconds to wait before a retry.

**Retries.** Requests that list or read pets are always safe to retry. A request that adds a pet is safe to retry if it
has an \`Idempotency-Key\`: the pet is added once, and every retry gets the original response. A request that changes a
pet sets the same values again. A request that deletes a pet gets a 404 if an earlier one deleted it.

**int64.** \`categoryId\` can be any int64, such as 9223372036854775807. Use a JSON parser that does not round large
numbers. An \`id\` has at most 53 bits, so every JSON parser reads it exactly.

**Unknown parameters and fields** are ignored, so check their spelling. This reference lists all that the service knows. A
body in which a key is \`__proto__\`, at any depth, is refused.

**Pagination.** A list is a JSON array. If there are more pets, the \`Link\` header contains the URL of the next page, with
\`rel="next"\`. Follow these links until a response has none.

**Clients.** TypeScript and JavaScript have a typed client of their own, in \`infra/client\` of the service's repository.
OpenAPI Generator makes clients for other languages from this document, and the one for Go needs the option
\`--model-name-mappings NewPet=PetInput\`.`
