import { CommandError } from '../command-line.ts'

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const
const DURATION = /^(?<count>[1-9]\d{0,4})(?<unit>[smhd])$/

/** The seconds of a duration such as `30s`, `15m`, `24h` or `90d`. Throws a CommandError that says what `option` takes. */
export const secondsOf = (option: string, text: string): number => {
  const { count, unit } = DURATION.exec(text)?.groups ?? {}
  if (isUnit(unit)) return Number(count) * SECONDS[unit]
  throw new CommandError(`${option} takes 1 to 99999 seconds, minutes, hours or days, such as 30s, 15m, 24h or 90d.`)
}

const isUnit = (unit?: string): unit is keyof typeof SECONDS => unit !== undefined && Object.hasOwn(SECONDS, unit)
