import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { addressOf, reserve } from '../../../../infra/local/gateway/server.ts'
import { example } from '../../../support/example.ts'
import { ask, BASE, CONNECT, GET, logged, NEVER, POST, serve, waiting, wireAndSocket, wireTo } from '../local-server.ts'

const { path, list } = example
const HALF_POST = `${POST}Content-Length: 20\r\n\r\n{`

test('responds to a client that closes its side after a request, then ends the connection', async () => {
  const { handler, called, release } = waiting()
  const { wire, socket } = await wireAndSocket(await serve({ [list]: handler }), '', { allowHalfOpen: true })
  const ended = once(socket, 'end')

  wire.socket.end(GET)
  await Promise.all([called, ended])
  release({ statusCode: 200, body: '["first"]' })

  expect([(await wire.response()).body, await wire.rest()]).toEqual([['first'], ''])
})

test.each([
  ['in the middle of the headers', `GET ${BASE}${path} HT`],
  ['in the middle of a body', HALF_POST],
  ['before the response', GET],
  ['after invalid HTTP', 'Hello\r\n\r\n'],
])('keeps serving when clients disconnect %s', async (_name, text) => {
  const served = await serve()

  for (let i = 0; i < 10; i++) {
    const { wire, socket } = await wireAndSocket(served)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    wire.socket.write(text, () => wire.socket.resetAndDestroy())
    await closed
  }

  expect(await ask(served, { method: 'POST' })).toMatchObject({ status: 200, body: [] })
  expect(console.error).not.toHaveBeenCalled()
  await served.stop(NEVER)
})

test('serves any number of requests of a connection in order, and reads few of them before it responds', async () => {
  const { handler, called, release } = waiting()
  let [unanswered, most] = [0, 0]
  const served = await serve({
    [list]: async (event, context) => {
      await handler(event, context)
      await nextTurn()
      unanswered--
      return { statusCode: 200, body: JSON.stringify(event.queryStringParameters) }
    },
  })
  served.server.on('request', () => {
    most = Math.max(most, ++unanswered)
  })
  const sent = Array.from({ length: 3000 }, (_, i) => ({ nth: String(i) }))
  const text = sent.map(({ nth }) => GET.replace(path, `${path}?nth=${nth}`)).join('')
  const wire = await wireTo(served, `${text}${HALF_POST.replace('20', '200000')}${' '.repeat(199_999)}`)
  await called

  const meanwhile = await ask(served, { method: 'POST' })
  release({ statusCode: 200, body: '' })
  const bodies = []
  while (bodies.length < sent.length + 1) bodies.push((await wire.response()).body)

  expect(meanwhile).toMatchObject({ status: 200, body: [] })
  expect(bodies).toEqual([...sent, []])
  expect(logged()).toHaveLength(sent.length + 2)
  expect(most).toBeLessThan(2000) // 64 KB.
})

test('calls no function for requests of a client that has disconnected', async () => {
  const { handler, called, release } = waiting()
  const served = await serve({ [list]: handler })
  const { wire, socket } = await wireAndSocket(served, GET.repeat(50) + CONNECT)
  await called

  wire.socket.resetAndDestroy()
  release({ statusCode: 200, body: '[]' })
  await expect.poll(() => socket.destroyed).toBe(true)
  await served.stop(NEVER)

  expect([handler.mock.calls.length, logged().length]).toEqual([1, 1])
})

/** A local server with a request in flight. */
const serveRequest = async () => {
  const { handler, called, release } = waiting()
  const served = await serve({ [list]: handler })
  const wire = await wireTo(served, GET)
  await called
  return { served, wire, release }
}

test('stop completes the requests in flight, and refuses new connections', async () => {
  const { served, wire, release } = await serveRequest()

  const stopped = served.stop(NEVER)
  const refused = await wireTo(served).catch((error) => error.code)
  release({ statusCode: 200, body: '["in flight"]' })
  const head = await wire.take(/\r\n\r\n/)

  expect(refused).toBe('ECONNREFUSED')
  expect([head, await wire.rest()]).toEqual([expect.stringMatching(/\r\nConnection: close\r\n/), '["in flight"]'])
  await stopped
})

test('stop waits for the request of a client that has disconnected', async () => {
  const { served, wire, release } = await serveRequest()
  const seen: string[] = []

  wire.socket.resetAndDestroy()
  const stopped = served.stop(NEVER).then(() => seen.push('stopped'))
  await once(served.server, 'close')
  await nextTurn()
  seen.push('released')
  release({ statusCode: 200, body: '[]' })
  await stopped

  expect(seen).toEqual(['released', 'stopped'])
})

test('stop does not wait for a request longer than its limit', async () => {
  const { served, wire } = await serveRequest()

  await served.stop(1)

  expect(await wire.rest()).toBe('')
})

test('stop ends the connection of a client that has sent nothing', async () => {
  const served = await serve()
  const { wire } = await wireAndSocket(served)

  await served.stop(NEVER)

  expect(await wire.rest()).toBe('')
})

test('reserves two free ports next to each other, also on a busy machine', async () => {
  const served = await serve()
  // In Linux, connections have even ports, and servers on port 0 odd ones.
  await Promise.all(Array.from({ length: 500 }, () => wireTo(served)))

  for (let i = 0; i < 100; i++) {
    const [api, database] = await reserve(0, '127.0.0.1', true)
    onTestFinished(() => void [api.close(), database?.close()])

    expect(database && addressOf(database).port).toBe(addressOf(api).port + 1)
  }
})

const CHOOSE = 'Choose another --host or --port; port 0 selects free ports.'
const IN_USE = `is in use, perhaps by another local server: it takes two ports, the second for its database. ${CHOOSE}`

test('reserves no port that is in use, nor one below it', async () => {
  const { port } = addressOf((await serve()).server)

  const errorOf = (each: number) => reserve(each, '127.0.0.1', true).catch(({ message }) => message)
  // Meanwhile the port below may belong to another test.
  const errors = [await errorOf(port), (await errorOf(port - 1)).replace(port - 1, port)]

  expect(new Set(errors)).toEqual(new Set([`127.0.0.1:${port} ${IN_USE}`]))
  await expect(reserve(0, '999.1', true)).rejects.toThrow(`Cannot listen: getaddrinfo ENOTFOUND 999.1. ${CHOOSE}`)
})
