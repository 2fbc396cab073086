/** Lets one thing happen after the other. */
export interface Queue {
  /** Whether nothing is under way, nor waiting. */
  isIdle(): boolean
  add<T>(job: () => Promise<T>): Promise<T>
}

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  let count = 0
  return {
    isIdle: () => count === 0,
    add: (job) => {
      count += 1
      const result = last.then(job).finally(() => {
        count -= 1
      })
      // Whoever added it hears of its failure; the next one only waits.
      last = result.catch(() => undefined)
      return result
    },
  }
}
