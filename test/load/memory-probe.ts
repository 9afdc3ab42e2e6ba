import { createServer } from 'node:net'

// Loaded into the server under load, ahead of its own code: tells whoever connects how much memory the process has.
createServer((socket) => {
  globalThis.gc?.()
  globalThis.gc?.() // Buffers are freed between the two.
  socket.on('error', () => {}).end(JSON.stringify(process.memoryUsage()))
})
  .listen(process.env.MEMORY_SOCKET)
  .unref()
