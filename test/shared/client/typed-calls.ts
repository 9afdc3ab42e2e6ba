import type { Client, ListQuery, NewPet, Pet, PetStatus, PetStoreError } from '../../../shared/client/client.ts'

// `tsc` checks this file against the sources, and package.test.ts against the package.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Pets = Client['pets']

export const exact: [
  Same<PetStatus, 'available' | 'pending' | 'sold'>,
  Same<NewPet, { name: string; categoryId: number | bigint; status?: PetStatus | undefined }>,
  Same<Pet, { id: number | bigint; name: string; categoryId: number | bigint; status?: PetStatus | undefined }>,
  Same<ListQuery, { limit?: number | undefined; status?: PetStatus | undefined }>,
  Same<Parameters<Pets['list']>[0], ListQuery | undefined>,
  Same<Parameters<Pets['create']>[0], NewPet>,
  Same<Parameters<Pets['get']>[0], number | bigint>,
  Same<Awaited<ReturnType<Pets['create' | 'get']>>, Pet>,
  Same<PetStoreError['requestId'], string | undefined>,
  Same<PetStoreError['retryAfter'], number | undefined>,
] = [true, true, true, true, true, true, true, true, true, true]

export const invalid = ({ pets }: Client) => [
  // @ts-expect-error: a category is required.
  pets.create({ name: 'Rex' }),
  // @ts-expect-error: the service assigns the id.
  pets.create({ id: 1, name: 'Rex', categoryId: 7 }),
  // @ts-expect-error: the client finds the next page by itself.
  pets.list({ cursor: 'AAFTb0vWvW4eQ0pM' }),
  // @ts-expect-error: a list is an async iterable.
  ...pets.list(),
]
