import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { marshall } from '@aws-sdk/util-dynamodb'
import { CommandError } from '../../infra/command-line.ts'
import { storedLocalApiKey } from '../../infra/local/database/credentials.ts'
import { example } from '../support/example.ts'

/** A DynamoDB that responds at once over TLS, so that only the functions differ. */
export type DynamoDb = Awaited<ReturnType<typeof startDynamoDb>>

const { field, value } = example.filter

/** What the resource that DynamoDB returns has, besides what the service itself gives it. */
export const RESOURCE = example.body()

/**
 * Starts the DynamoDB in this process, which otherwise only waits while a function is measured.
 *
 * @param folder gets the certificate
 * @throws CommandError without openssl
 */
export const startDynamoDb = async (folder: string) => {
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  await makeCertificate(keyFile, certificateFile)
  const files = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) }
  const server = createServer(files, (message, response) => {
    // The function ended in the middle of a request.
    respond(message, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  // On the address that Node.js tries first for `localhost`, so that no function has to try a
  // second one.
  await once(server.listen(0, 'localhost'), 'listening')
  // Only a server on a pipe has another kind of address.
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `https://localhost:${port}`,
    certificateFile, // What a function has to trust.
    stop: () => server.close().closeAllConnections(),
  }
}

const respond = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [, operation = ''] = String(message.headers['x-amz-target']).split('.')
  const found = responseTo(operation, JSON.parse(await text(message)))
  const body = JSON.stringify(
    found ?? { __type: 'com.amazon.coral.service#UnknownOperationException' },
  )
  response.writeHead(found ? 200 : 400, {
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(body),
    'x-amzn-RequestId': 'Q1B2C3D4E5F6G7H8I9J0KLMNOPVV4KQNSO5AEMVJF66Q9ASUAAJG',
    'x-amz-crc32': crc32(body),
  })
  response.end(body)
}

/**
 * Returns the response to an operation, or `undefined` for one that the measured functions do not
 * use.
 */
const responseTo = (operation: string, { Limit = 0 }: { Limit?: number }): object | undefined => {
  if (operation === 'GetItem') return { Item: apiKeyItem }
  if (operation === 'TransactWriteItems') return {}
  if (operation === 'Query')
    return { Items: Array.from({ length: Limit }, (_, i) => itemOf(NEWEST_ID - i * 4096)) }
  return undefined
}

const NEWEST_ID = 373117652410368

const itemOf = (id: number) => {
  const own = {
    shard: 0,
    [`${field}Shard`]: `${value}#0`,
    revision: 'f9b4d1a0-6c8e-4b7f-9d55-3c1e2a7b8d90',
  }
  return marshall({ ...example.resource(id, RESOURCE), ...own })
}

const apiKeyItem = marshall(storedLocalApiKey)

/** Makes a certificate for `localhost` with a key as AWS's: RSA with 2,048 bits. */
const makeCertificate = async (keyFile: string, certificateFile: string): Promise<void> => {
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', keyFile, '-out', certificateFile]
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...name, ...files]
  await promisify(execFile)('openssl', args).catch(({ message }: Error) => {
    throw new CommandError(
      `The bench needs openssl, version 1.1.1 or later: ${message.split('\n')[0]}`,
    )
  })
}
