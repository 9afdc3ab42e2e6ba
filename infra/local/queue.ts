/** Runs at most `limit` tasks at once. The others start later, in the order in which they came. */
export const atMost = (limit: number) => {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running < limit) running++
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await task()
    } finally {
      const startNext = waiting.shift()
      if (startNext)
        startNext() // In the place of this task, so `running` stays.
      else running--
    }
  }
}
