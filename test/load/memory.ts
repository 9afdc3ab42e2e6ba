import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The environment that makes a Node.js process report its memory on the Unix socket `socket`. */
export const probeAt = (socket: string) => ({
  NODE_OPTIONS: `--expose-gc --import=${fileURLToPath(import.meta.url)}`,
  MEMORY_SOCKET: socket,
})

/**
 * Reads the memory of the process that was started with `probeAt(socket)`: the bytes that its
 * JavaScript holds after a garbage collection, buffers included.
 */
export const memoryAt = async (socket: string): Promise<number> => {
  const { heapUsed, external }: NodeJS.MemoryUsage = JSON.parse(await text(connect(socket)))
  return heapUsed + external // V8 counts buffers apart.
}

// In the process under test, which loads this file before its own code.
if (process.env.MEMORY_SOCKET) {
  createServer((socket) => {
    globalThis.gc?.()
    globalThis.gc?.() // Buffers are freed between the two.
    socket.on('error', () => {}).end(JSON.stringify(process.memoryUsage()))
  })
    .listen(process.env.MEMORY_SOCKET)
    .unref()
}
