// For `--require`: the runtime client's way to the Runtime API, with a clock. The clock runs from just before the function
// is loaded until its first answer. Loading ends with the first request for an invocation, which is what ends Lambda's
// phase of initialization as well. Times leave out the way from and to the Runtime API; CPU has it, for all alike.
require('../runtime/trust-authority.cjs')
const { connect } = require('node:net')
const { invocationOf, replaceClient } = require('../runtime/replace-client.cjs')

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':')

replaceClient(() => {
  const figures = {}
  let isFirst = true
  let invokedAt
  const startCpu = process.cpuUsage()
  const startedAt = performance.now()
  return {
    next: async () => {
      if (!isFirst) return new Promise(() => {})
      isFirst = false
      figures.load = performance.now() - startedAt
      const bodyJson = await exchange('GET', 'next')
      invokedAt = performance.now()
      return invocationOf(bodyJson)
    },
    done: (id, body) => {
      figures.call = performance.now() - invokedAt
      const { user, system } = process.cpuUsage(startCpu)
      figures.cpu = (user + system) / 1000
      figures.memory = process.memoryUsage.rss() / 1_000_000
      exchange('POST', `${id}/response`, JSON.stringify({ figures, answer: JSON.parse(body) }))
    },
    error: (id, body) => void exchange('POST', `${id}/error`, body),
  }
})

// Over a bare socket: `node:http` would be warm then for the function's own requests, and the addon does not warm it.
const exchange = (method, path, body = '') =>
  new Promise((resolve, reject) => {
    const socket = connect(port, host).setEncoding('utf8').once('error', reject)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('end', () => resolve(text.slice(text.indexOf('\r\n\r\n') + 4)))
    const length = Buffer.byteLength(body)
    const line = `${method} /2018-06-01/runtime/invocation/${path} HTTP/1.0`
    socket.end(`${line}\r\nContent-Length: ${length}\r\n\r\n${body}`)
  })
