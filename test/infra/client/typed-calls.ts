import type { Client, Int64, Page, ServiceError } from '../../../infra/client/client.ts'

// `tsc` checks this file against the sources, and package.test.ts against the package.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Flat<Type> = { [Name in keyof Type]: Type[Name] }
type Input<Id extends keyof Client> = Flat<NonNullable<Parameters<Client[Id]>[0]>>
type Result<Id extends keyof Client> = ReturnType<Client[Id]>
type Status = 'available' | 'pending' | 'sold'
type NewPet = { name: string; categoryId: number | bigint; status?: Status | undefined }
type Pet = Flat<{ id: number } & NewPet>
type Order = { id: number; petId: Int64; complete: boolean }

export const exact: [
  Same<Input<'listPets'>, { limit?: number | undefined; status?: Status | undefined; cursor?: string | undefined }>,
  Same<Input<'createPet'>, NewPet>,
  Same<Input<'deletePet'>, { petId: Int64 }>,
  Same<Input<'updateOrder'>, { orderId: Int64; complete: true }>,
  Same<ReturnType<Result<'listPets'>['pages']>, AsyncIterable<Page<Pet>>>,
  Same<Flat<Awaited<Result<'createPet' | 'updatePet'>>>, Pet>,
  Same<Flat<Awaited<Result<'placeOrder'>>>, Order>,
  Same<Result<'deletePet'>, Promise<undefined>>,
  Same<ServiceError['retryAfter'], number | undefined>,
] = [true, true, true, true, true, true, true, true, true]

export const calls = (client: Client) => [
  client.updatePet({ petId: 1n, name: 'Rex', categoryId: 7, status: null }),
  // @ts-expect-error: a category is required.
  client.createPet({ name: 'Rex' }),
  // @ts-expect-error: the service assigns the id.
  client.createPet({ id: 1, name: 'Rex', categoryId: 7 }),
  // @ts-expect-error: an update needs no idempotency key.
  client.updatePet({ petId: 1, name: 'Rex' }, { idempotencyKey: 'k' }),
  // @ts-expect-error: a list is an async iterable.
  ...client.listPets(),
]
