import { randomUUID } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { settings } from '../../../shared/data/tables.ts'
import type { Environment } from './start-database.ts'

/** An animal of a catalogue that is made for measuring. */
export type Animal = { id: number; name: string; categoryId: number; status: string | undefined }

const FIRST_ID = 373_212_905_455_903
const STATUSES = ['available', 'pending', 'sold', undefined]

/** So many animals, newest first: of each status a quarter, and as many without one. */
export const catalogueOf = (size: number): Animal[] =>
  Array.from({ length: size }, (_, i) => size - 1 - i).map((nth) => ({
    id: FIRST_ID + nth * 4096,
    name: `Pet ${nth}`,
    categoryId: nth,
    status: STATUSES[nth % STATUSES.length],
  }))

/** Writes animals as `createPet` does, only 25 at a time: that makes 10,000 a second, not 1,000. */
export const fill = async (environment: Environment, animals: Animal[]): Promise<void> => {
  const client = clientOf(environment)
  const batches = batchesOf(animals)
  const work = async (): Promise<void> => {
    for (const batch of batches) {
      const requests = batch.map((animal) => ({ PutRequest: { Item: itemOf(animal) } }))
      const command = new BatchWriteCommand({ RequestItems: { [environment[settings.petsTable] ?? '']: requests } })
      const { UnprocessedItems } = await client.send(command)
      if (Object.keys(UnprocessedItems ?? {}).length > 0) throw new Error('The database did not take all animals.')
    }
  }
  // Each takes the next batch from the same generator.
  await Promise.all([work(), work(), work(), work()])
  client.destroy()
}

/** A client of the database of this environment, whatever the environment of this process says. */
export const clientOf = (environment: Environment): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
      region: environment.AWS_REGION ?? '',
      credentials: {
        accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
        secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
      },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )

function* batchesOf(animals: Animal[]): Generator<Animal[]> {
  for (let start = 0; start < animals.length; start += 25) yield animals.slice(start, start + 25)
}

const itemOf = (animal: Animal) => ({
  ...animal,
  creation: randomUUID(),
  statusShard: `${animal.status ?? 'none'}#0`,
})
