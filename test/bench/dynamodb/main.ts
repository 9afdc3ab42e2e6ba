import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { answerTo } from './answers.ts'
import { makeCertificate } from './certificate.ts'

/** Answers as DynamoDB does, at once: `node main.ts <folder for its certificate>`, a child with a channel to its parent. */
const main = async (): Promise<void> => {
  const { authorityFile, ...certificate } = await makeCertificate(process.argv[2] ?? '')
  const server = createServer(certificate, answer)
  server.keepAliveTimeout = 60_000
  // Where Node.js looks for `localhost` first, so that no function tries in vain to connect elsewhere.
  await once(server.listen(0, 'localhost'), 'listening')
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  process.send?.({ endpoint: `https://localhost:${port}`, authorityFile })
}

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [, operation = ''] = String(request.headers['x-amz-target']).split('.')
  const asked = JSON.parse(await text(request))
  const body = JSON.stringify(
    answerTo(operation, asked) ?? { __type: 'com.amazon.coral.service#UnknownOperationException' },
  )
  response.writeHead(body.startsWith('{"__type"') ? 400 : 200, {
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(body),
    'x-amzn-RequestId': 'Q1B2C3D4E5F6G7H8I9J0KLMNOPVV4KQNSO5AEMVJF66Q9ASUAAJG',
    'x-amz-crc32': crc32(body),
  })
  response.end(body)
}

// It ends with whoever started it.
process.once('disconnect', () => process.exit())
main().catch((error) => {
  process.send?.({ error: error.message })
  process.disconnect()
})
