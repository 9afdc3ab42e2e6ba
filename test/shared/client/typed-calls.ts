import {
  type Client,
  type ListQuery,
  type NewPet,
  type Pet,
  type PetStatus,
  PetStoreError,
} from '../../../shared/client/client.ts'

// Calls that compile, and calls that must not. `tsc` checks them against the sources, package.test.ts against the package.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

export const types: [
  Same<PetStatus, 'available' | 'pending' | 'sold'>,
  Same<NewPet, { name: string; categoryId: number | bigint; status?: PetStatus | undefined }>,
  Same<Pet, { id: number | bigint; name: string; categoryId: number | bigint; status?: PetStatus | undefined }>,
  Same<ListQuery, { limit?: number | undefined; status?: PetStatus | undefined }>,
] = [true, true, true, true]

export const valid = async ({ pets }: Client, { signal }: AbortController) => {
  const rex: Pet = await pets.create({ name: 'Rex', categoryId: 7 })
  await pets.create({ name: 'Rex', categoryId: 7n, status: 'sold' }, { idempotencyKey: 'a', signal })
  await pets.create(await pets.get(rex.id, { signal }))
  for await (const { id, status } of pets.list()) {
    const int64: number | bigint = id
    const availability: PetStatus | undefined = status
    console.info(int64, availability)
  }
  for await (const page of pets.list({ status: 'sold', limit: 7 }, { signal }).pages()) console.info(page.length)
}

export const invalid = ({ pets }: Client) => [
  // @ts-expect-error: a category is required.
  pets.create({ name: 'Rex' }),
  // @ts-expect-error: a name is required.
  pets.create({ categoryId: 7 }),
  // @ts-expect-error: a category is an integer.
  pets.create({ name: 'Rex', categoryId: '7' }),
  // @ts-expect-error: not a status.
  pets.create({ name: 'Rex', categoryId: 7, status: 'gone' }),
  // @ts-expect-error: the service assigns the id.
  pets.create({ id: 1, name: 'Rex', categoryId: 7 }),
  // @ts-expect-error: not a status.
  pets.list({ status: 'gone' }),
  // @ts-expect-error: a limit is a number.
  pets.list({ limit: '7' }),
  // @ts-expect-error: the client finds the next page by itself.
  pets.list({ cursor: 'AAFTb0vWvW4eQ0pM' }),
  // @ts-expect-error: an id is a number.
  pets.get('1'),
  // @ts-expect-error: an id is required.
  pets.get(),
  // @ts-expect-error: a list is an async iterable.
  ...pets.list(),
]

export const details = (
  error: unknown,
): [string, string, number, string | undefined, number | undefined] | undefined =>
  error instanceof PetStoreError
    ? [error.code, error.message, error.status, error.requestId, error.retryAfter]
    : undefined
