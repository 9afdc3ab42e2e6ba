// For `--require`: the runtime client's way to the Runtime API, with a clock. The clock runs from just before the function
// is loaded until its first answer. Loading ends with the request for an invocation, which is what ends Lambda's phase of
// initialization as well; there the first call begins, so that nothing which the function still has under way is left out.
require('../runtime/trust-authority.cjs')
const { connect } = require('node:net')
const { invocationOf, replaceClient } = require('../runtime/replace-client.cjs')

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':')

replaceClient(() => {
  const figures = {}
  let loadedAt
  const startCpu = process.cpuUsage()
  const startedAt = performance.now()
  return {
    // The invocation is there at once. To get it by JavaScript would take 4 ms (the addon takes 1, beside the function's own
    // work), and what the function does meanwhile would be free.
    next: async () => {
      if (loadedAt) return new Promise(() => {})
      loadedAt = performance.now()
      figures.load = loadedAt - startedAt
      return invocationOf(process.env.BENCH_EVENT)
    },
    done: (id, body) => {
      figures.call = performance.now() - loadedAt
      const { user, system } = process.cpuUsage(startCpu)
      figures.cpu = (user + system) / 1000
      figures.memory = process.memoryUsage.rss() / 1_000_000
      post(`${id}/response`, JSON.stringify({ figures, answer: JSON.parse(body) }))
    },
    error: (id, body) => post(`${id}/error`, body),
  }
})

const post = (path, body) => {
  const line = `POST /2018-06-01/runtime/invocation/${path} HTTP/1.0`
  connect(port, host).end(`${line}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
