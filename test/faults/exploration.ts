// Explores every order of events between a database and concurrent requests: requests that crash, responses that get lost,
// writes that take effect late, and what else a model knows. The models run the service's own code.

/** The types of a model: what is stored, with the first error; requests to the service; requests to the database; responses. */
type Kind = { store: { wrong?: string | undefined }; attempt: unknown; call: { isRead?: true }; response: unknown }

/**
 * An attempt that has not ended: the results that it has received, how often the SDK has sent the request that it waits
 * for, and its age in half-days; `null` before its start.
 */
type Running<Attempt> = { attempt: Attempt; results: unknown[]; sent: number; age: number | null }

/**
 * A state: what is stored, the attempts (`null`: it has ended or crashed), the writes that may still take effect although
 * nobody waits for them, and how many responses may still get lost.
 */
export type State<K extends Kind> = {
  store: K['store']
  running: (Running<K['attempt']> | null)[]
  late: { call: K['call']; age: number }[]
  mayLose: number
}

/** How far an attempt comes with some results: its next request to the database, or its response. */
type Progress<K extends Kind> = { waitsFor: K['call'] } | { response: K['response'] }

/** A database, and how the service uses it. */
export type Model<K extends Kind> = {
  /** Carries out a request, atomically. `sent` is how often the SDK has sent it. */
  carryOut: (store: K['store'], call: K['call'], sent: number) => { result: unknown; store: K['store'] }
  /** Runs the service's code up to the first request that has no result yet. */
  run: (attempt: K['attempt'], results: unknown[]) => Promise<Progress<K>>
  /** What is stored after a response, with what is wrong about it. */
  end: (store: K['store'], attempt: K['attempt'], response: K['response']) => K['store']
  /** An attempt that must succeed in every state, if there are no more faults, and what is wrong about its response. */
  last: (store: K['store']) => { attempt: K['attempt']; errorIn: (response: K['response']) => string | undefined }
  /** The states that events without a request lead to. */
  others: (state: State<K>) => State<K>[]
}

/** Visits all states. Returns their number, the first error, and what may be stored when nothing goes on any more. */
export const explore = async <K extends Kind>(
  given: Model<K>,
  { store, attempts, mayLose }: { store: K['store']; attempts: K['attempt'][]; mayLose: number },
) => {
  const model = { ...given, run: memoized(given.run) }
  const errorAfter = memoized((store: K['store']) => errorOfLast(store, model))
  const running = attempts.map((attempt) => ({ attempt, results: [], sent: 1, age: null }))
  const first: State<K> = { store, running, late: [], mayLose }
  const seen = new Set([JSON.stringify(first)])
  const open = [first]
  const ends: K['store'][] = []
  for (let state = open.pop(); state; state = open.pop()) {
    const wrong = state.store.wrong ?? (await errorAfter(state.store))
    if (wrong) return { states: seen.size, wrong, ends }
    if (state.late.length === 0 && state.running.every((each) => each === null)) ends.push(state.store)
    for (const next of await after(state, model)) {
      const key = JSON.stringify(next)
      if (!seen.has(key)) open.push(next)
      seen.add(key)
    }
  }
  return { states: seen.size, wrong: undefined, ends }
}

/** What a last attempt gets depends only on what is stored. */
const errorOfLast = async <K extends Kind>(stored: K['store'], model: Model<K>): Promise<string | undefined> => {
  const { attempt, errorIn } = model.last(stored)
  let [store, results]: [K['store'], unknown[]] = [stored, []]
  for (;;) {
    const progress = await model.run(attempt, results)
    if ('response' in progress) return model.end(store, attempt, progress.response).wrong ?? errorIn(progress.response)
    const carried = model.carryOut(store, progress.waitsFor, 1)
    store = carried.store
    results = [...results, carried.result]
  }
}

/** All states that one event leads to. */
const after = async <K extends Kind>(state: State<K>, model: Model<K>): Promise<State<K>[]> => {
  const steps = await Promise.all(state.running.map((each, i) => (each ? stepsOf(state, i, each, model) : [])))
  const late = state.late.map(({ call }, i) => {
    const { store } = model.carryOut(state.store, call, 1)
    return { ...state, store, late: state.late.toSpliced(i, 1) }
  })
  return [...steps.flat(), ...late, ...model.others(state)]
}

/** What can happen to the request that an attempt waits for. */
const stepsOf = async <K extends Kind>(
  state: State<K>,
  i: number,
  running: Running<K['attempt']>,
  { run, carryOut, end }: Model<K>,
): Promise<State<K>[]> => {
  const { attempt, results, sent, age } = { ...running, age: running.age ?? 0 }
  const progress = await run(attempt, results)
  if (!('waitsFor' in progress)) throw new Error('An attempt that has ended is not running.')
  const call = progress.waitsFor
  const { result, store } = carryOut(state.store, call, sent)
  const received = { attempt, results: [...results, result], sent: 1, age }
  const next = await run(attempt, received.results)
  const responded: State<K> =
    'response' in next
      ? { ...state, store: end(store, attempt, next.response), running: state.running.with(i, null) }
      : { ...state, store, running: state.running.with(i, received) }
  // An attempt that crashes at a read leaves no more than one that never goes on.
  if (call.isRead) return [responded]
  // A write without a response may take effect at any time or never: the attempt has crashed, or the SDK resends it.
  const late = [...state.late, { call, age }].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  const crashed = { ...state, late, running: state.running.with(i, null) }
  const again = { ...running, sent: sent + 1, age }
  const resent = { ...state, late, running: state.running.with(i, again), mayLose: state.mayLose - 1 }
  return state.mayLose > 0 ? [responded, crashed, resent] : [responded, crashed]
}

/**
 * Runs `work` with a function that sends its requests to the database.
 *
 * @returns the first request that has no result yet, or what `work` returns
 */
export const runWith = <K extends Kind>(
  results: unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: a result has the type of its request.
  work: (send: (call: K['call']) => Promise<any>) => Promise<K['response']>,
) =>
  new Promise<Progress<K>>((resolve, reject) => {
    const left = [...results]
    const send = (waitsFor: K['call']) => {
      if (left.length > 0) return Promise.resolve(left.shift() ?? undefined)
      resolve({ waitsFor })
      return new Promise(() => {})
    }
    work(send).then((response) => resolve({ response }), reject)
  })

/** Computes each result once. */
const memoized = <Input extends unknown[], Result>(compute: (...input: Input) => Promise<Result>) => {
  const results = new Map<string, Promise<Result>>()
  return (...input: Input): Promise<Result> => {
    const key = JSON.stringify(input)
    const result = results.get(key) ?? compute(...input)
    results.set(key, result)
    return result
  }
}
