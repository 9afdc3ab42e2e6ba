import { Worker } from 'node:worker_threads'

// Imported first by the process of the API (server.ts), it ends this process with the one that has
// started it: even if that one was killed, its end closes our standard input. Only a thread of its
// own notices while an endless loop occupies this one.
const source = `
  const { Socket } = require('node:net')
  new Socket({ fd: 0 }).resume().on('close', () => process.kill(process.pid, 'SIGKILL'))`
new Worker(source, { eval: true, execArgv: [], env: {} }).unref()
