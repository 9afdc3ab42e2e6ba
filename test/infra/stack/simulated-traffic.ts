/** The kinds of responses: what the access log says of them, and how long they take. */
export const kinds = {
  ok: { status: 200, milliseconds: 50 },
  fourSeconds: { status: 200, milliseconds: 4000 },
  threeSeconds: { status: 200, milliseconds: 2900 },
  twoSeconds: { status: 200, milliseconds: 1900 },
  oneAndAHalf: { status: 200, milliseconds: 1500 },
  conflict: { status: 409, milliseconds: 50 },
  invalidKey: { status: 401, milliseconds: 20 },
  notFound: { status: 404, milliseconds: 20 },
  /** Of a path that does not exist. */
  scan: { status: 404, milliseconds: 5, resource: '/{proxy+}' },
  throttled: { status: 429, milliseconds: 5 },
  bug: { status: 500, milliseconds: 60 },
  /** A function that crashes, or a stray failure of AWS. */
  crash: { status: 502, milliseconds: 60 },
  /** DynamoDB does not respond until the deadline of the operation. */
  hang: { status: 503, milliseconds: 3000 },
  /** DynamoDB fails or throttles at once, also all resends. */
  refusal: { status: 503, milliseconds: 250 },
} as const satisfies Record<string, Response>

export type Response = { status: number; milliseconds: number; resource?: string }
export type Kind = keyof typeof kinds

/** How many requests get which response. */
export type Requests = Partial<Record<Kind, number>>

/** So many minutes with so many requests in an hour. If not logged, the access log lacks them. */
export type Phase = { minutes: number; perHour: Requests; isLogged?: boolean }

/** For each kind, how many requests there were before each minute. */
export type Totals = Map<Kind, Float64Array>

export type Traffic = { minutes: number; all: Totals; logged: Totals }

/** The traffic of phases, with random requests (Poisson). */
export const randomTraffic = (phases: Phase[], random: () => number): Traffic => {
  const minutes = phases.reduce((sum, phase) => sum + phase.minutes, 0)
  const all: Totals = new Map()
  const logged: Totals = new Map()
  for (const kind of kindsOf(phases)) {
    const totals = [new Float64Array(minutes + 1), new Float64Array(minutes + 1)] as const
    let minute = 0
    for (const { minutes: length, perHour, isLogged = true } of phases)
      for (const end = minute + length; minute < end; minute++) {
        const requests = poisson((perHour[kind] ?? 0) / 60, random)
        totals[0][minute + 1] = (totals[0][minute] ?? 0) + requests
        totals[1][minute + 1] = (totals[1][minute] ?? 0) + (isLogged ? requests : 0)
      }
    all.set(kind, totals[0])
    logged.set(kind, totals[1])
  }
  return { minutes, all, logged }
}

const kindsOf = (phases: Phase[]): Kind[] =>
  // `keys` loses the type.
  [...new Set(phases.flatMap(({ perHour }) => Object.keys(perHour) as Kind[]))]

/** Random numbers from 0 to 1, the same for each seed (mulberry32). */
export const randomNumbers = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A random count around a mean. */
const poisson = (mean: number, random: () => number): number => {
  if (mean > 30) return Math.round(mean + Math.sqrt(mean) * normal(random))
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count++
  return count
}

/** A random number of the standard normal distribution (Box and Muller). */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
