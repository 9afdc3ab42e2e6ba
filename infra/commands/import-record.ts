import { once } from 'node:events'
import { appendFileSync, closeSync, createReadStream, openSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { digestOf } from '../../shared/model/api-key.ts'
import { service } from '../../shared/service.ts'
import { CommandError } from '../command-line.ts'
import { printable } from './key-report.ts'

/** What became of a line: its pet was added, or it was refused for a reason. */
type Outcome = { id: number } | { refused: string }
type Entry = { line: number } & ({ sentAt: string } | Outcome)

/** `sent`: there is no response yet; `at` is in milliseconds since 1970. */
type LineState = { kind: 'new' | 'added' | 'refused' } | { kind: 'sent'; at: number }

/**
 * The file beside an imported file, for one deployment: JSON lines that say of each of its lines
 * when it was sent, and what became of it. A run that was killed has recorded all that it has sent.
 */
export class ImportRecord {
  added = 0
  refused = 0
  newestId: number | undefined
  readonly firstRefusals: { line: number; reason: string }[] = []
  readonly path: string
  readonly #lock: Server
  readonly #file: number
  readonly #outcomes: Uint8Array // A million objects would take too much memory.
  readonly #sentAt = new Map<number, number>()

  private constructor(path: string, lock: Server, lastLine: number) {
    this.path = path
    this.#lock = lock
    this.#file = openSync(path, 'a')
    this.#outcomes = new Uint8Array(lastLine + 1)
  }

  /**
   * Opens or creates the record of a file with this digest. Throws a CommandError if it belongs to
   * another file, or if another run has it open.
   */
  static async open(path: string, digest: string, lastLine: number): Promise<ImportRecord> {
    const record = new ImportRecord(path, await lock(path), lastLine)
    for await (const text of createInterface(createReadStream(path))) {
      const entry = entryOf(text)
      if (entry && 'line' in entry) record.#note(entry)
      if (entry && 'digest' in entry && entry.digest !== digest)
        throw new CommandError(
          `${path} belongs to another file of this name. Import this one under another name.`,
        )
    }
    record.#append({ digest })
    return record
  }

  stateOf(line: number): LineState {
    const outcome = this.#outcomes[line]
    if (outcome) return { kind: outcome === ADDED ? 'added' : 'refused' }
    const at = this.#sentAt.get(line)
    return at === undefined ? { kind: 'new' } : { kind: 'sent', at }
  }

  /** Records that a line is about to be sent. Returns when, in milliseconds since 1970. */
  send(line: number): number {
    const now = new Date()
    this.#add({ line, sentAt: now.toISOString() })
    return now.getTime()
  }

  /** Records what became of a line. */
  settle(line: number, outcome: Outcome): void {
    this.#add({ line, ...outcome })
  }

  close(): void {
    closeSync(this.#file)
    this.#lock.close()
  }

  #add(entry: Entry): void {
    this.#append(entry)
    this.#note(entry)
  }

  // The line feed comes first: an entry that a full disk has cut off does not spoil the next one.
  #append(entry: object): void {
    try {
      appendFileSync(this.#file, `\n${printable(JSON.stringify(entry))}`)
    } catch (error) {
      throw new CommandError(`${this.path} cannot be written: ${Object(error).message}`)
    }
  }

  #note(entry: Entry): void {
    const { line } = entry
    if ('sentAt' in entry) {
      this.#sentAt.set(line, Date.parse(entry.sentAt))
      return
    }
    this.#sentAt.delete(line)
    if ('id' in entry) {
      this.#outcomes[line] = ADDED
      this.newestId = entry.id
      this.added++
    } else {
      this.#outcomes[line] = REFUSED
      this.refused++
      if (this.refused <= 10) this.firstRefusals.push({ line, reason: entry.refused })
    }
  }
}

const ADDED = 1
const REFUSED = 2

/** An entry; `undefined` if it was cut off. */
const entryOf = (text: string): Entry | { digest: string } | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Locks a path until this process ends, however it ends: then nobody listens at the socket any
 * more. Throws a CommandError if another process of this machine has locked it.
 */
const lock = async (path: string): Promise<Server> => {
  const digest = digestOf(resolve(path)).slice(0, 16)
  const address = join(tmpdir(), `${service.name}-import-${digest}`)
  const isLocked = await once(createConnection(address), 'connect').then(
    () => true,
    () => false,
  )
  if (isLocked) throw new CommandError(`Another import of this file is running: see ${path}.`)
  rmSync(address, { force: true })
  const server = createServer((socket) => socket.destroy())
  await once(server.listen(address).unref(), 'listening')
  return server
}
