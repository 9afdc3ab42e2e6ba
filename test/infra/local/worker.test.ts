import { expect, test } from 'vitest'
import { startThread } from '../../../infra/local/worker.ts'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'
import { embedded } from '../packages/embedded-dynamodb/database.ts'

test.each([
  ['even if its time is over', 0],
  ['and ends by itself', 2 ** 31 - 1],
])('a thread that is stopped while it adds examples adds all, %s', async (_name, limitMs) => {
  const proxy = await startFaultProxy(await embedded())
  const [writes, released] = [Promise.withResolvers<void>(), Promise.withResolvers<Fault>()]
  proxy.faultOf = ({ operation }) => {
    if (operation !== 'TransactWriteItems') return 'pass'
    writes.resolve()
    return released.promise
  }
  const { stop, added } = startThread(
    {
      host: '127.0.0.1',
      port: 0,
      database: { kind: 'named', endpoint: proxy.endpoint },
      empty: false,
      start: { kind: 'first', added: undefined },
    },
    () => expect.unreachable('It does not get the port any more.'),
  )
  await writes.promise

  const stopped = stop(limitMs)
  released.resolve('pass')
  await stopped

  expect(added()).toBe('51 pets and 22 orders')
})
