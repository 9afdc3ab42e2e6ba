import type { Server } from 'node:http'
import type { Socket } from 'node:net'

type Busy = { connections: Set<Socket>; work: Set<Promise<void>> }

const servers = new WeakMap<Server, Busy>()

/** Lets `stopFront` know a server's connections. */
export const trackConnections = (server: Server): Server => {
  const { connections } = busyOf(server)
  return server.on('connection', (socket) => connections.add(socket.on('close', () => connections.delete(socket))))
}

/** Lets it know what a server does for a request. */
export const trackWork = (server: Server, work: Promise<void>): void => {
  const { work: underWay } = busyOf(server)
  underWay.add(work)
  work.finally(() => underWay.delete(work))
}

/** Ends a server: no new requests, those in flight are answered, none waits longer than `mostMs`. */
export const stopFront = async (server: Server, mostMs: number): Promise<void> => {
  const { connections, work } = busyOf(server)
  const tooLong = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    server.closeAllConnections()
    tooLong.resolve()
  }, mostMs)
  const closed = new Promise((resolve) => server.close(resolve))
  // `close` ends idle connections, but not those that nothing was sent on yet, as browsers hold them ready.
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  await closed
  // A client that has left ends its connection, but not what is done for it, which still needs the database.
  await Promise.race([Promise.all(work), tooLong.promise])
  clearTimeout(timer)
}

const busyOf = (server: Server): Busy => {
  const busy = servers.get(server) ?? { connections: new Set(), work: new Set() }
  servers.set(server, busy)
  return busy
}
