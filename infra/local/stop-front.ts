import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const connections = new WeakMap<Server, Set<Socket>>()

/** Lets `stopFront` know a server's connections. */
export const trackConnections = (server: Server): Server => {
  const open = new Set<Socket>()
  connections.set(server, open)
  return server.on('connection', (socket) => open.add(socket.on('close', () => open.delete(socket))))
}

/** Ends a server: no new requests, those in flight are answered, none waits longer than `mostMs`. */
export const stopFront = (server: Server, mostMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), mostMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    // `close` ends idle connections, but not those that nothing was sent on yet, as browsers hold them ready.
    for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
  })
