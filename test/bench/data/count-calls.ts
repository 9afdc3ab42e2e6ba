import { randomUUID } from 'node:crypto'
import type { OperationId } from '../../../shared/contract.ts'
import type { Event } from '../../../shared/http.ts'
import type { Bundles } from '../../support/bundles.ts'
import { type Figure, rowOf } from '../figure.ts'
import { catalogueOf, fill } from './catalogue.ts'
import { unitsOf } from './consumed-units.ts'
import { startCountingProxy } from './counting-proxy.ts'
import { createEvent, listEvent, readEvent } from './events.ts'
import { type Environment, startDatabase } from './start-database.ts'
import { startHandler } from './start-handler.ts'
import { type Start, withProcesses } from './with-processes.ts'

type Row = { of: string; operation: OperationId; event: () => Event }

/** What each kind of request costs in calls of the database and in its capacity, counted on the wire. */
export const countCalls = (bundles: Bundles): Promise<Figure[]> =>
  withProcesses(async (start) => {
    const pets = catalogueOf(100)
    const environment = await startDatabase(start)
    await fill(environment, pets)
    const rows: Row[] = [
      { of: 'listPets, one status', operation: 'listPets', event: () => listEvent({ status: 'available' }) },
      { of: 'listPets, all', operation: 'listPets', event: () => listEvent({}) },
      { of: 'createPet', operation: 'createPet', event: () => createEvent() },
      {
        of: 'createPet with Idempotency-Key',
        operation: 'createPet',
        event: () => createEvent({ 'Idempotency-Key': randomUUID() }),
      },
      { of: 'getPet', operation: 'getPet', event: () => readEvent(pets[0]?.id ?? 0) },
    ]
    const figures: Figure[] = []
    for (const row of rows) figures.push(...(await countRow(row, bundles, start, environment)))
    return figures
  })

/** Cold is all from the start of a function to its first answer, and warm the next call. */
const countRow = async ({ of, operation, event }: Row, bundles: Bundles, start: Start, environment: Environment) => {
  const proxy = await startCountingProxy(environment.AWS_ENDPOINT_URL_DYNAMODB ?? '')
  try {
    const throughProxy = { ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint }
    const call = await startHandler(start, bundles, operation, throughProxy)
    await call(event())
    const cold = proxy.take()
    await call(event())
    const warm = proxy.take()
    const units = warm.map((each) => unitsOf(each, environment))
    const figure = rowOf('data', of)
    return [
      figure('calls, warm', 'calls', warm.length),
      figure('calls, cold', 'calls', cold.length),
      figure('read units', 'units', sum(units.map(({ read }) => read))),
      figure('write units', 'units', sum(units.map(({ write }) => write))),
    ]
  } finally {
    proxy.stop()
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0)
