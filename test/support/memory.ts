import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * The memory of a process in bytes once garbage is collected. `heap` is what its JavaScript holds, buffers included: the
 * exact measure, in which a leak shows after seconds. `resident` is all that the process has, and so also what V8 and the
 * allocator keep for later, which takes a minute of load to level off.
 */
export type Memory = { heap: number; resident: number }

/** What makes a process tell its memory at a socket. */
export const probeAt = (socket: string) => ({
  NODE_OPTIONS: '--expose-gc --import=./test/support/memory-probe.ts',
  MEMORY_SOCKET: socket,
})

/** Asks for it there. */
export const memoryAt = async (socket: string): Promise<Memory> => {
  const { heapUsed, external, rss }: NodeJS.MemoryUsage = JSON.parse(await text(connect(socket)))
  return { heap: heapUsed + external, resident: rss } // `external` are buffers, which V8 counts apart.
}
