import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Bundles } from '../../support/bundles.ts'
import { type Figure, rowOf } from '../figure.ts'
import { median } from '../quantile.ts'
import { catalogueOf, fill } from './catalogue.ts'
import { type Page, pagesOf } from './pages.ts'
import { startDatabase } from './start-database.ts'
import { type Invocation, startHandler } from './start-handler.ts'
import { type Start, withProcesses } from './with-processes.ts'

/** How many pets the catalogues have, and how often each page is asked for. */
export type Effort = { sizes: number[]; rounds: number }

/** The time of a page in catalogues of these sizes. Each has a database and a function of its own. */
export const timePages = (bundles: Bundles, { sizes, rounds }: Effort): Promise<Figure[]> =>
  withProcesses(async (start) => {
    const catalogues: Timed[][] = []
    for (const size of sizes) catalogues.push(await openCatalogue(start, bundles, size))
    // One size right behind the other, so that what else the machine does meets them all.
    const pages = (catalogues[0] ?? []).flatMap((_, nth) => catalogues.flatMap((each) => each[nth] ?? []))
    for (const page of pages) expectPage(page, await page.ask())
    for (let round = 0; round < rounds; round++) {
      for (const page of pages) page.times.push((await page.ask()).ms)
    }
    return pages.map(({ of, times }) => rowOf('data', of)('page', 'ms', settled(times)))
  })

type Timed = Page & { ask: () => Promise<Invocation>; times: number[] }

/** Makes a catalogue on disk: 200,000 pets take 0.7 GB of memory where they are not. */
const openCatalogue = async (start: Start, bundles: Bundles, size: number) => {
  const pets = catalogueOf(size)
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-'))
  // In a process that ends: what it has compiled and collected would make the largest catalogue the fastest.
  await withProcesses(async (start) => fill(await startDatabase(start, folder), pets))
  const call = await startHandler(start, bundles, 'listPets', await startDatabase(start, folder))
  return pagesOf(pets).map((page): Timed => ({ ...page, ask: () => call(page.event), times: [] }))
}

const expectPage = ({ of, ids }: Page, { response }: Invocation): void => {
  const listed = JSON.parse(response.body).map(({ id }: { id: number }) => id)
  if (!isDeepStrictEqual(listed, ids)) throw new Error(`The ${of} is not what it must be.`)
}

/** The median of the times, without the first tenth, in which the processes still warm up. */
const settled = (times: number[]): number => median(times.slice(Math.floor(times.length / 10)))
