import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { openDatabase } from '../../../infra/local/database.ts'
import { startEmbedded } from '../../../infra/local/embedded-database.ts'
import { setting } from '../../../shared/data/tables.ts'
import { digestOf } from '../../../shared/model/api-key.ts'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'

// Each test file that imports this has a database of its own, which the service reaches through the proxy alone.
const { endpoint } = await startEmbedded()
export const proxy = await startFaultProxy(endpoint)
await openDatabase(undefined, proxy.endpoint)

const direct = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }), {
  marshallOptions: { removeUndefinedValues: true },
})

/** Makes all requests meet the same. */
export const always = (fault: Fault): void => {
  proxy.faultOf = () => fault
}

/** Makes the first request of each of these operations meet a fault, and lets all else pass. */
export const once = (faults: Partial<Record<string, Fault>>): void => {
  const left = new Map(Object.entries(faults))
  proxy.faultOf = ({ operation }) => {
    const fault = left.get(operation) ?? 'pass'
    left.delete(operation)
    return fault
  }
}

/** All that is stored of the pets, past the proxy. */
export const storedPets = async (): Promise<Record<string, unknown>[]> => {
  const { Items = [] } = await direct.send(new ScanCommand({ TableName: setting('petsTable') }))
  return Items
}

/** Stores an API key of a client, past the proxy and past the service. */
export const storeKey = (key: string, expiresAt?: number) => {
  const Item = {
    digest: digestOf(key),
    keyId: 'key-1',
    clientId: 'ann',
    name: 'Ann',
    createdAt: '2026-11-20',
    expiresAt,
  }
  return direct.send(new PutCommand({ TableName: setting('apiKeysTable'), Item }))
}

/** Deletes an API key, as another process would. */
export const deleteKey = (key: string) =>
  direct.send(new DeleteCommand({ TableName: setting('apiKeysTable'), Key: { digest: digestOf(key) } }))
