import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { refuseInternals } from '../../support/secrets.ts'
import { type Answer, type Front, withoutTransport } from './front.ts'

/** A connection that bytes are sent on as they are, until the test ends. */
export type Wire = {
  socket: Socket
  /** Waits for text, and takes it and all before it off what has come. */
  take: (pattern: RegExp) => Promise<string>
  /** Takes the next answer; where its length is not stated, to the end of the connection. */
  answer: () => Promise<Answer>
  /** What comes until the server ends the connection. */
  rest: () => Promise<string>
}

/** Connects to a port of this machine. */
export const wireTo = async (port: number, options: { allowHalfOpen?: boolean } = {}): Promise<Wire> => {
  const socket = connect({ port, host: '127.0.0.1', ...options }).setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.on('data', (text) => {
    received += text
  })
  const ended = once(socket, 'end')
  ended.catch(() => {}) // It is for those who wait.
  await once(socket, 'connect')

  const take = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(received)
      if (found) return cut(found.index + found[0].length)
      if (socket.readableEnded) throw new Error(`The server ended the connection after: ${received}`)
      await Promise.race([once(socket, 'data'), ended])
    }
  }
  const cut = (length: number): string => {
    const text = received.slice(0, length)
    received = received.slice(length)
    return text
  }
  const answer = async (): Promise<Answer> => {
    const [statusLine = '', ...lines] = (await take(/\r\n\r\n/)).trim().split('\r\n')
    const headers = Object.fromEntries(lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]]))
    const status = Number(statusLine.split(' ')[1])
    const length = headers['content-length']
    const text = length === undefined ? await rest() : await take(new RegExp(`^[\\s\\S]{${length}}`))
    refuseInternals({ status, headers, text })
    return { status, headers: withoutTransport(headers), body: JSON.parse(text) }
  }
  const rest = async () => {
    await ended
    return received
  }
  return { socket, take, answer, rest }
}

/** Sends one text on a connection of its own, and takes the answer. */
export const exchange = async ({ port }: { port: number }, text: string): Promise<Answer> => {
  const wire = await wireTo(port)
  wire.socket.write(text, 'latin1')
  return wire.answer()
}

/** Connects to a front, and tells the other end of the connection, too. */
export const wireAndSocket = async (
  { server, port }: Front,
  options: { allowHalfOpen?: boolean } = {},
): Promise<{ wire: Wire; socket: Socket }> => {
  const [[socket], wire] = await Promise.all([once(server, 'connection'), wireTo(port, options)])
  return { wire, socket }
}
