/**
 * Visits every state that can be reached from `first`, each once.
 *
 * @param next the states that one event leads to; states are plain JSON
 * @returns how many there are
 */
export const explore = async <State>(first: State, next: (state: State) => Promise<State[]>): Promise<number> => {
  const seen = new Set([JSON.stringify(first)])
  const open = [first]
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const each of await next(state)) {
      const key = JSON.stringify(each)
      if (!seen.has(key)) open.push(each)
      seen.add(key)
    }
  }
  return seen.size
}
