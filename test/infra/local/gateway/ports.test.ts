import { expect, onTestFinished, test } from 'vitest'
import { listeningAddress, reservePorts } from '../../../../infra/local/gateway/ports.ts'
import { serve, wireTo } from '../local-server.ts'

test('reserves two free ports next to each other, also on a busy machine', async () => {
  const served = await serve()
  // In Linux, connections have even ports, and servers on port 0 odd ones.
  await Promise.all(Array.from({ length: 500 }, () => wireTo(served)))

  for (let i = 0; i < 100; i++) {
    const [api, database] = await reservePorts(0, '127.0.0.1', true)
    onTestFinished(() => void [api.close(), database?.close()])

    expect(database && listeningAddress(database).port).toBe(listeningAddress(api).port + 1)
  }
})

test('reserves no port that is in use, nor one below it', async () => {
  const { port } = listeningAddress((await serve()).server)

  const errorOf = (each: number) =>
    reservePorts(each, '127.0.0.1', true).catch(({ message }) => message)
  // Meanwhile the port below may belong to another test.
  const errors = [await errorOf(port), (await errorOf(port - 1)).replace(port - 1, port)]

  const inUse = `127.0.0.1:${port} is in use, perhaps by another local server: it takes two ports, `
  expect(errors).toEqual([expect.stringContaining(inUse), errors[0]])
  // An address for documentation (RFC 5737), which needs no network to be refused.
  await expect(reservePorts(0, '192.0.2.1', true)).rejects.toThrow(
    'Cannot listen: listen EADDRNOTAVAIL: address not available 192.0.2.1. Choose another --host',
  )
})
