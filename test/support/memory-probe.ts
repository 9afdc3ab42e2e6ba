import { createServer } from 'node:net'

// Loaded into a server under test, ahead of its own code: tells whoever connects how much memory the process has.
createServer((socket) => {
  globalThis.gc?.()
  globalThis.gc?.() // Buffers are freed between the two.
  socket.on('error', () => {}).end(JSON.stringify(process.memoryUsage()))
})
  .listen(process.env.MEMORY_SOCKET)
  .unref()
