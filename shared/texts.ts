import * as orders from './orders/texts.ts'
import * as pets from './pets/texts.ts'

// What the documentation says of the service, in Markdown. No function loads it.

/** The icon of the API reference: an emoji. */
export const icon = '🐾'

/** The first paragraph of the documentation. */
export const introduction = 'The catalog of a pet store: list, add, read, change and delete pets, and order them.'

/** What a caller must know about an operation beyond its title. An operation may have none. */
export const operationTexts: Readonly<Record<string, string>> = { ...pets.operations, ...orders.operations }

/** What the fields of the schemas mean, by the title of the schema. A field may have no text. */
export const fieldTexts: Readonly<Record<string, Record<string, string>>> = { ...pets.fields, ...orders.fields }

/** What parameters mean, by name, or by operation and name (`listPets.status`). Without a text, a parameter shows its rule. */
export const parameterTexts: Readonly<Record<string, string>> = { ...pets.parameters, ...orders.parameters }

/** Hints for generators of clients, at the end of the documentation. */
export const generatorHint =
  'OpenAPI Generator makes clients for other languages. Give it the address of this document, not a file: then the clients know the address of the API. For Go, it needs the option `--model-name-mappings NewPet=PetInput,NewOrder=OrderInput`.'
