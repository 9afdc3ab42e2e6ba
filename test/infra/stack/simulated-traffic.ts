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
export const kindNames = Object.keys(kinds) as Kind[] // `keys` loses the type.

/** How many requests get which response. */
export type Requests = Partial<Record<Kind, number>>

/** A minute. If it is not logged, the access log has no lines of its requests. */
export type Minute = { requests: Requests; isLogged: boolean }

/** So many minutes with so many requests in an hour. */
export type Phase = { minutes: number; perHour: Requests; isLogged?: boolean }

/** The minutes of phases, with random requests (Poisson). */
export const randomMinutes = (phases: Phase[], random: () => number): Minute[] =>
  phases.flatMap(({ minutes, perHour, isLogged = true }) =>
    Array.from({ length: minutes }, () => {
      const counts = Object.entries(perHour).map(([kind, n]) => [kind, poisson(n / 60, random)])
      return { isLogged, requests: Object.fromEntries(counts) }
    }),
  )

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
