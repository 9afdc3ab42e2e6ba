import { Level } from 'level'

// Preloaded into a local server, it kills the server at a write to its data folder: before the
// write, during it, or after it and before the response.
const { DIE_AT_WRITE, DIE_WHEN } = process.env

const { batch } = Level.prototype
let writes = 0

async function writeAndDie(this: Level, ...args: unknown[]): Promise<void> {
  // Writes during the start of the server do not count.
  const isLast = !/"table~|ApiKeys/.test(JSON.stringify(args)) && ++writes === Number(DIE_AT_WRITE)
  const die = (): void => void (isLast && process.kill(process.pid, 'SIGKILL'))
  if (DIE_WHEN === 'before') die()
  const written = Reflect.apply(batch, this, args)
  if (DIE_WHEN === 'during') die()
  await written
  die()
}
Object.assign(Level.prototype, { batch: writeAndDie })
