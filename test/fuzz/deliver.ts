import { once } from 'node:events'
import { connect } from 'node:net'
import { type Received, send } from '../support/http.ts'
import { refuseInternals } from '../support/secrets.ts'
import { patiently } from './patiently.ts'
import { bytesOf, type Request } from './request.ts'
import type { Target } from './target.ts'

/** Sends a request to a server, and takes all that it answers: to bytes that are no request, or several, any number. */
export const deliver = async (target: Target, request: Request): Promise<Received[]> => {
  if ('text' in request) return answersIn(await exchange(target.origin, request.text))
  const { method, target: path, headers, body } = request
  const sent = { method, path, headers, ...(body && { body: bytesOf(body) }) }
  return [await patiently(() => send(target.origin, sent), target.onBusy)]
}

// The client ends its side, so that a server need not wait for the rest of what never was a request.
const exchange = async (origin: string, text: string): Promise<string> => {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).setEncoding('latin1')
  let received = ''
  socket.on('data', (part) => {
    received += part
  })
  socket.end(text, 'latin1')
  await once(socket, 'end')
  return received
}

const answersIn = (text: string): Received[] => {
  if (text === '') return []
  const [head = '', ...bodies] = text.split(/(?<=\r\n\r\n)/)
  const [statusLine = '', ...lines] = head.trimEnd().split('\r\n')
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) /.exec(statusLine)?.[1])
  const rest = bodies.join('')
  if (status === 100) return answersIn(rest)
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1] ?? '']),
  )
  const length = status === 204 ? 0 : Number(headers['content-length'] ?? rest.length)
  const body = Buffer.from(rest.slice(0, length), 'latin1').toString()
  refuseInternals({ status, headers, text: body })
  return [{ status, headers, text: body, body: body && JSON.parse(body) }, ...answersIn(rest.slice(length))]
}
