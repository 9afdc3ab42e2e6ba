import { atMost } from '../../infra/local/server.ts'
import { type Container, startContainer } from './container.ts'
import { getEvent } from './events.ts'
import type { FaultKind } from './fault-kinds.ts'
import { type Met, meetFault } from './meet-fault.ts'
import { ask, askUntilCreated, type Exchange, exchangeInTime } from './requests.ts'
import { newKeyOf } from './stored.ts'
import type { Way } from './ways.ts'

/** A create that meets a fault: at which of its calls first, and at how many in a row. */
export type Case = FaultKind & { title: string; way: Way; from: number; times: number }

/** What a client was answered: to its request that met the fault, to those that it sent again, and to a read after it. */
export type Ran = Met & { each: Case; name: string; creates: Exchange[]; read: Exchange['response'] | undefined }

// More at once would wait for one another, and take the database for slow.
const inTurn = { waiting: atMost(24), working: atMost(4) }
let names = 0

/** Creates a pet in spite of a fault, with functions of its own. */
export const runCase = (each: Case): Promise<Ran> => inTurn[each.waits ? 'waiting' : 'working'](() => run(each))

const run = async (each: Case): Promise<Ran> => {
  const container = await startContainer()
  const name = `Rex-${++names}`
  const wish = { clientId: 'ann', name, ...(each.way.hasKey && { idempotencyKey: name }) }
  await each.way.before?.(container, wish)
  const endFault = meetFault(container, each)
  const creates = [await ask(container, wish)]
  const met = await endFault()
  if (each.way.hasKey) {
    if (creates[0]?.response.status !== 201) creates.push(...(await askUntilCreated(container, wish)))
    // As a client does that did not get the 201.
    creates.push(...(await askUntilCreated(container, wish)))
  }
  const read = await readOf(container, creates.at(-1))
  await container.proxy.settled()
  await container.proxy.refuse()
  return { ...met, each, name, creates, read }
}

const readOf = async (container: Container, last: Exchange | undefined) =>
  last?.response.status === 201
    ? exchangeInTime(container, getEvent(last.response.body.id, await newKeyOf('ann')))
    : undefined
