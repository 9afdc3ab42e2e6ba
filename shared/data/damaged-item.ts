/** An item that was edited by hand, or by an import, and that no schema allows. */
export class DamagedItem extends Error {
  readonly table: string
  readonly id: unknown

  constructor(table: string, id: unknown, field: string, value: unknown) {
    super(`The item ${id} of ${table} has ${damage(field, value)}.`)
    this.table = table
    this.id = id
  }
}

/** Without the value, which may be personal. */
const damage = (field: string, value: unknown): string => {
  if (value === undefined) return `no ${field}`
  // As a number is read that is not exact.
  if (Number.isNaN(value)) return `in ${field} a number that JavaScript would round`
  return `in ${field} a value of the type ${value === null ? 'null' : typeof value}`
}

const SILENT_MS = 60_000
const MAX_REMEMBERED = 1000
const reported = new Map<string, number>()

/** Logs a damaged item, for its alarm: at most once a minute, because every list may meet it. */
export const reportDamage = ({ table, id, message }: DamagedItem): void => {
  const name = `${table} ${id}`
  if (Date.now() - (reported.get(name) ?? 0) < SILENT_MS) return
  if (reported.size >= MAX_REMEMBERED) reported.clear()
  reported.set(name, Date.now())
  console.error({ damagedItem: name, table, id: `${id}`, problem: message })
}
