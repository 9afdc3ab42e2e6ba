import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import type { Received } from '../support/http.ts'

// Node.js has the reason of 422 that RFC 9110 replaced.
const reasons: Record<number, string | undefined> = { ...STATUS_CODES, 422: 'Unprocessable Content' }

/** Checks what holds of every answer, whatever was asked. */
export const checkAnswer = (answer: Received, method: string): void => {
  const { status, headers } = answer
  assert.ok(status >= 200 && status < 500, `The status is ${status}.`)
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.match(headers['x-request-id'] ?? '', /^[\w-]{15}=$/)
  if (status >= 400) checkError(answer, method)
}

const checkError = ({ status, headers, text, body }: Received, method: string): void => {
  assert.equal(status === 405, 'allow' in headers)
  assert.equal(status === 401, 'www-authenticate' in headers)
  if (method === 'HEAD') assert.equal(text, '')
  else checkBody({ status, text, body })
}

const checkBody = ({ status, text, body }: Pick<Received, 'status' | 'text' | 'body'>): void => {
  const code = reasons[status]?.toLowerCase().replaceAll(' ', '_')
  const message = body instanceof Object && 'message' in body ? body.message : undefined
  assert.ok(typeof message === 'string' && message.trim() !== '', `The message is ${message}.`)
  assert.equal(text, JSON.stringify({ code, message, status }))
}
