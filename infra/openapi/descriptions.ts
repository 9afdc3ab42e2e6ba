import { resources } from '../../shared/resources.ts'

const texts = Object.values(resources).map((resource) => resource.texts)

/** What a caller must know about an operation beyond its title; `undefined` if there is nothing. */
export const operationText = (id: string): string | undefined =>
  texts.map(({ operations }) => operations[id]).find(Boolean)

/** What the fields of the schema with this title mean, by their names. */
export const fieldTexts = (title: string): Readonly<Record<string, string>> | undefined =>
  texts.map(({ fields }) => fields[title]).find(Boolean)

/** What a parameter or a header of an operation means; `undefined` if it has no text. */
export const parameterText = (id: string, name: string): string | undefined =>
  parameters[`${id}.${name}`] ?? parameters[name]

const ofFlags = {
  limit: 'The maximum number of items to return.',
  cursor:
    'Where the page starts. Do not build a cursor: follow the URL in `Link`. The example is the start of any list.',
  'If-Match':
    'The `ETag` that the resource must still have, without `W/`. Several are separated by commas; `*` allows any.',
  'Idempotency-Key':
    'Makes the request safe to retry for 24 hours. Use a new key of 1 to 255 visible ASCII characters, such as a UUID, for each new request.',
}

const parameters: Record<string, string> = Object.assign(
  ofFlags,
  ...texts.map((each) => each.parameters),
)
