import { once } from 'node:events'
import { appendFileSync, createReadStream, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { digestOf } from '../../shared/model/api-key.ts'
import { jsonOf } from '../../shared/model/json.ts'
import { service } from '../../shared/service.ts'
import { CommandError } from '../command-line.ts'
import { printable } from './key-report.ts'

/** When a line was sent, the id of its pet, or why it was refused. */
type RecordLine = { line: number; sentAt: string } | { line: number; id: number } | Refusal
type Refusal = { line: number; refused: string }

const ADDED = 1
export const REFUSED = 2

/**
 * The file beside an imported file, for one deployment: JSON lines that say of each of its lines
 * when it was sent, and what became of it. A run that was killed has recorded all that it has sent.
 */
export class ImportRecord {
  added = 0
  refused = 0
  newestId: number | undefined
  readonly firstRefusals: Refusal[] = []
  /** By the number of a line: `ADDED`, `REFUSED` or 0. A million strings take too much memory. */
  readonly outcomes: Uint8Array
  /** When lines without an outcome were sent, in milliseconds since 1970. */
  readonly sentAt = new Map<number, number>()
  readonly path: string
  readonly digest: string

  private constructor(path: string, digest: string, lastLine: number) {
    this.path = path
    this.digest = digest
    this.outcomes = new Uint8Array(lastLine + 1)
  }

  /**
   * Opens or creates the record of a file with this digest. Throws a CommandError if it belongs to
   * another file, if another run has it open, or if it cannot be written.
   */
  static async open(path: string, digest: string, lastLine: number): Promise<ImportRecord> {
    await lock(path)
    const record = new ImportRecord(path, digest, lastLine)
    record.#append('')
    for await (const text of createInterface(createReadStream(path))) {
      // No line: a full disk has cut it off. Only a record has this name.
      const recorded = jsonOf(text) as RecordLine | { digest: string } | undefined
      if (!recorded) continue
      if ('line' in recorded) record.#note(recorded)
      else if (recorded.digest !== digest)
        throw new CommandError(
          `${path} belongs to another file of this name. Import this one under another name.`,
        )
    }
    record.#append(JSON.stringify({ digest }))
    return record
  }

  /** Throws a CommandError if the disk is full. */
  add(recorded: RecordLine): void {
    this.#append(printable(JSON.stringify(recorded)))
    this.#note(recorded)
  }

  // The line feed comes first: a line that was cut off does not corrupt the next one.
  #append(text: string): void {
    try {
      appendFileSync(this.path, `\n${text}`)
    } catch (error) {
      throw cannotWrite(this.path, error)
    }
  }

  #note(recorded: RecordLine): void {
    const { line } = recorded
    if ('sentAt' in recorded) {
      this.sentAt.set(line, Date.parse(recorded.sentAt))
      return
    }
    this.sentAt.delete(line)
    if ('id' in recorded) {
      this.outcomes[line] = ADDED
      this.newestId = recorded.id
      this.added++
    } else {
      this.outcomes[line] = REFUSED
      this.refused++
      if (this.refused <= 10) this.firstRefusals.push(recorded)
    }
  }
}

/** The disk is full, or the user may not write there. */
export const cannotWrite = (path: string, cause: unknown): CommandError =>
  new CommandError(`${path} cannot be written: ${Object(cause).message}`, { cause })

/**
 * Locks a path until this process ends, however it ends: then nobody listens at the socket any
 * more. Throws a CommandError if another process of this machine has locked it.
 */
const lock = async (path: string): Promise<void> => {
  const digest = digestOf(resolve(path)).slice(0, 16)
  const socket = join(tmpdir(), `${service.name}-import-${digest}`)
  const isLocked = await once(createConnection(socket), 'connect').then(
    () => true,
    () => false,
  )
  if (isLocked) throw new CommandError(`Another import of this file is running: see ${path}.`)
  rmSync(socket, { force: true })
  const server = createServer((connection) => connection.destroy())
  await once(server.listen(socket).unref(), 'listening')
}
