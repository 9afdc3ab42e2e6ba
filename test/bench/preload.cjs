// Loaded into the process of a measured function before Lambda's runtime client (`node --require`). It hands invocations
// to the runtime client and takes the time. JavaScript, because stripping types would cost time and memory in that process.
const { readFileSync, writeSync } = require('node:fs')
const Module = require('node:module')
const { Socket } = require('node:net')

// Each TLS connection also trusts the bench's certificate. NODE_EXTRA_CA_CERTS would do it too, but Lambda does
// not set it, and with it Node.js loads its own certificates differently: a first connection takes 6 ms less CPU time.
const certificate = readFileSync(process.env.BENCH_CERTIFICATE)
const { connect } = Socket.prototype
Socket.prototype.connect = function (...args) {
  this._tlsOptions?.secureContext?.context.addCACert(certificate)
  return connect.apply(this, args)
}

// The native addon of the runtime client connects it to Lambda's Runtime API. Building it takes CMake and minutes, so this
// replaces it. The difference is small (medians of 15 starts on two cores, addon and replacement): ours loads in 31.3
// and 32.7 ms, and its first call takes 13.1 and 13.4; the stock client in 45.5 and 44.9, and 37.6 and 37.3.
const load = Module._load
Module._load = function (request, ...rest) {
  if (request !== './rapid-client.node') return load.call(this, request, ...rest)
  return client()
}

const WARM_MS = 500

/** Hands over invocations. The runtime client loads its addon just before the function, so the clock starts here. */
const client = () => {
  const cpuAtStart = process.cpuUsage()
  const startedAt = performance.now()
  const warmTimes = []
  let loadedAt, invokedAt, warmUntil, report
  return {
    // The first request ends Lambda's init phase. The invocation is there at once: while it was fetched with
    // JavaScript (4 ms; the addon takes 1), work that the function left unfinished would not be counted.
    next: async () => {
      invokedAt = performance.now()
      loadedAt ??= invokedAt
      return nextInvocation()
    },
    done: (_id, body) => {
      const now = performance.now()
      if (report) {
        warmTimes.push((now - invokedAt) * 1000)
        if (now > warmUntil) end(report, warmTimes)
        return
      }
      const { user, system } = process.cpuUsage(cpuAtStart)
      const figures = {
        'start, ms': startedAt,
        'load, ms': loadedAt - startedAt,
        'first call, ms': now - loadedAt,
        'cold start, ms': now, // Since the process started.
        'CPU, ms': (user + system) / 1000,
        'memory, MB': process.memoryUsage.rss() / 1_000_000,
      }
      report = { figures, result: JSON.parse(body) }
      warmUntil = now + WARM_MS
    },
    error: (_id, body) => end({ error: body }),
  }
}

/** Writes to a pipe: an IPC channel would load modules of Node.js that some functions use before the clock starts. */
const end = (report, warmTimes) => {
  if (report.figures) {
    // The second half, because V8 optimizes the code meanwhile.
    const times = warmTimes.slice(warmTimes.length / 2).sort((a, b) => a - b)
    report.figures['warm, µs'] = times[Math.floor(times.length / 2)]
  }
  writeSync(4, JSON.stringify(report))
  process.exit()
}

/** An invocation as the Runtime API describes it. X-Ray samples one request in 20, so this one is not sampled. */
const nextInvocation = () => ({
  bodyJson: process.env.BENCH_EVENT,
  headers: {
    'lambda-runtime-aws-request-id': '5c0f5dc5-7bd5-4b0f-8d3d-0e9f0c3f4a11',
    'lambda-runtime-deadline-ms': Date.now() + 10_000,
    'lambda-runtime-invoked-function-arn':
      'arn:aws:lambda:eu-central-1:123456789012:function:bench',
    'lambda-runtime-trace-id':
      'Root=1-6b004984-f2e9e9f41cf0b28622a9749e;Parent=53995c3f42cd8ad8;Sampled=0',
  },
})
