import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/**
 * The memory of a process in bytes after a garbage collection. `heap` is what JavaScript holds, buffers included: a leak
 * shows after seconds. `resident` also includes what V8 and the allocator keep for later, which levels off only after a
 * minute of load.
 */
export type Memory = { heap: number; resident: number }

/** The environment that makes a Node.js process report its memory on the Unix socket `socket`. */
export const probeAt = (socket: string) => ({
  NODE_OPTIONS: `--expose-gc --import=${fileURLToPath(import.meta.url)}`,
  MEMORY_SOCKET: socket,
})

/** Reads the memory of the process that was started with `probeAt(socket)`. */
export const memoryAt = async (socket: string): Promise<Memory> => {
  const { heapUsed, external, rss }: NodeJS.MemoryUsage = JSON.parse(await text(connect(socket)))
  return { heap: heapUsed + external, resident: rss } // V8 counts buffers apart, in `external`.
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
