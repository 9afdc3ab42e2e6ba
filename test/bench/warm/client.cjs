// For `--require`: gives the runtime client its invocations within the process, some in a row each time that the parent
// asks for them. So a call is measured with all that the runtime client does for it, and nothing of the Runtime API.
require('../runtime/trust-authority.cjs')
const { invocationOf, replaceClient } = require('../runtime/replace-client.cjs')

let row // Of calls, which is under way: the event, how many are left, and what was measured so far.
let give // Hands an invocation to the runtime client, when that waits for one.
let givenAt

const giveNext = () => {
  if (!row || !give) return
  const take = give
  give = undefined
  givenAt = performance.now()
  take(invocationOf(row.event))
}

const end = (message) => {
  row = undefined
  process.send(message)
}

replaceClient(() => ({
  next: () =>
    new Promise((resolve) => {
      give = resolve
      giveNext()
    }),
  done: (_, body) => {
    row.microseconds.push((performance.now() - givenAt) * 1000)
    if (row.microseconds.length < row.times) return
    const { user, system } = process.cpuUsage(row.cpu)
    end({ microseconds: row.microseconds, cpu: (user + system) / row.times, answer: JSON.parse(body) })
  },
  error: (_, body) => end({ error: body }),
}))

process.on('message', ({ event, times }) => {
  row = { event, times, microseconds: [], cpu: process.cpuUsage() }
  giveNext()
})

process.once('disconnect', () => process.exit())
