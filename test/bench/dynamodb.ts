import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { marshall } from '@aws-sdk/util-dynamodb'
import { storedLocalApiKey } from '../../infra/local/database/local-api-key.ts'
import { listeningAddress } from '../../infra/local/ports.ts'
import { petOf } from '../support/pets.ts'

/** A DynamoDB that responds at once over TLS, so that only the functions differ. */
export type DynamoDb = Awaited<ReturnType<typeof startDynamoDb>>

/**
 * Starts the DynamoDB in this process, which otherwise only waits while a function is measured.
 * `folder` gets its certificate.
 */
export const startDynamoDb = async (folder: string) => {
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', keyFile, '-out', certificateFile]
  // As AWS's: RSA with 2,048 bits.
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...name, ...files]
  execFileSync('openssl', args, { stdio: 'pipe' })
  const tls = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) }
  const server = createServer(tls, (message, response) => {
    // The function ended in the middle of a request, or sent an operation that is not known here.
    respond(message, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  server.unref() // It ends with this process.
  // On the address that Node.js tries first for `localhost`, so that no function has to try a
  // second one.
  await once(server.listen(0, 'localhost'), 'listening')
  const { port } = listeningAddress(server)
  return { endpoint: `https://localhost:${port}`, certificateFile }
}

const respond = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [, operation = ''] = String(message.headers['x-amz-target']).split('.')
  const body = JSON.stringify(responseTo(operation, JSON.parse(await text(message))))
  response.setHeader('Content-Type', 'application/x-amz-json-1.0')
  response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(body)
}

const responseTo = (operation: string, { TableName = '' }: { TableName?: string }): object => {
  if (operation === 'GetItem') return { Item: items[TableName] }
  if (operation === 'TransactWriteItems') return {}
  if (operation === 'Query') return { Items: [items.pets, items.pets] }
  throw new Error(operation)
}

const attributes = { shard: 0, statusShard: 'available#0', revision: 'f9b4d1a0-6c8e-4b7f-9d55' }

/** The only item of each table, by the name that a table has here. No idempotency key is used. */
const items: Record<string, object | undefined> = {
  apiKeys: marshall(storedLocalApiKey),
  pets: marshall({ ...petOf(373117652410368), ...attributes }),
}
