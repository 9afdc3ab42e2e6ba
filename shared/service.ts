/** The names of this service. A service that is made from this one changes them here. */
export const service = {
  /** The realm of its API keys (RFC 9110, section 11.5), and a tag of all resources in AWS. */
  name: 'pet-store',
  /** The title of the API reference. */
  title: 'Pet Store',
  /** The names of its CloudFormation stacks start with this. */
  stack: 'PetStore',
  /** API keys start with this, so that scanners for leaked secrets can tell whose they are. */
  keyIssuer: 'pet',
  /** The path of the base address: the stage of the REST API. */
  basePath: '/v1',
} as const

/** What the reference says of the service as a whole. No function loads it. */
export const reference = {
  /** Its first sentence. */
  introduction:
    'The catalog of a pet store: list, add, read, change and delete pets, and order them.',
  /** What the groups of operations are, by the `tag` of their entries. */
  tags: {
    Pets: 'All pets, whether they can be ordered or not.',
    Store: 'Orders for pets. A pet has one open order at most.',
  },
} as const

/** What an API key may allow. */
export const scopes = ['pets:read', 'pets:write', 'orders:read', 'orders:write'] as const
export type Scope = (typeof scopes)[number]

/** The collections, by the names of their tables, and the fields to filter their lists by. */
export const filters = {
  pets: ['status'],
  orders: ['petId', 'complete'],
} as const satisfies Record<string, readonly string[]>
