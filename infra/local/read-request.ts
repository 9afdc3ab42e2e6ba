import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../shared/model/api-error.ts'
import { gatewayAnswers } from '../gateway-answers.ts'

const MAX_BYTES = 10 * 1024 * 1024 // API Gateway's payload limit.
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

/** Where a request goes: its path and its query as they were sent. Throws an ApiError 400 where that is unclear. */
export const readTarget = (message: IncomingMessage): { path: string; query: string } => {
  if (!/^1\.[01]$/.test(message.httpVersion)) throw gatewayAnswers.badRequest
  const hosts = message.rawHeaders.filter((_, i) => message.rawHeaders[i - 1]?.toLowerCase() === 'host' && i % 2 === 1)
  // In the absolute form of a target (RFC 9112, section 3.2.2) the path comes behind the host.
  const [path = '', query = ''] = (message.url ?? '').replace(/^https?:\/\/[^/?]*/i, '').split(/\?(.*)/s)
  if (hosts.length !== 1 || !HOST.test(hosts[0] ?? '') || !path.startsWith('/')) throw gatewayAnswers.badRequest
  return { path: path.replace(/^\/+/, '/'), query }
}

/** The whole body. Throws an ApiError: 413 where it is too large for API Gateway, 400 where it is none that HTTP allows. */
export const readBody = (message: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // The only coding of a transfer that is undone on the way here.
    if (!/^(chunked)?$/i.test(message.headers['transfer-encoding'] ?? '')) throw gatewayAnswers.badRequest
    const chunks: Buffer[] = []
    let size = 0
    // Not `for await`, which closes the connection at an error: the answer still has to go out on it.
    message
      .on('data', (chunk: Buffer) => {
        size += chunk.length
        // What is too large is read to its end, though not kept.
        if (size <= MAX_BYTES) chunks.push(chunk)
      })
      .on('end', () => (size > MAX_BYTES ? reject(gatewayAnswers.payloadTooLarge) : resolve(Buffer.concat(chunks))))
      .on('error', (error) => reject(error instanceof ApiError ? error : gatewayAnswers.badRequest))
  })
