import type { IncomingMessage } from 'node:http'
import type { GatewayResponse } from './types.ts'

/** Logs a response on one line; of an error, also the `code` that its body starts with. */
export const logResponse = (
  { method = '', url = '' }: IncomingMessage,
  { statusCode, body = '' }: GatewayResponse,
  requestId: string,
  milliseconds: number,
): void => {
  const code = statusCode >= 400 && /^\{"code":"(\w+)"/.exec(`${body}`)?.[1]
  const columns = [
    new Date().toTimeString().slice(0, 8),
    method.padEnd(7),
    url.replace(/\?.*/s, '').padEnd(26),
    statusCode,
    `${Math.round(milliseconds)} ms`.padStart(7),
    (code || '').padEnd(22),
    requestId,
  ]
  console.info(columns.join('  '))
}
