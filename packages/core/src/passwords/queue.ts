import { TooManyRequests } from "../errors/errors.js"

/** Runs work a few at a time. */
export interface Queue {
  /** @throws TooManyRequests when too many are waiting */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** @throws TooManyRequests when too many are waiting, so that a request is refused before it counts as an attempt */
  assertRoom(): void
}

/** Seconds after which a refused client may ask again: 50 hashes take a second or two. */
const retryAfterSeconds = 5

/** Each hash takes tens of megabytes, so that without a limit a burst of sign-ins would use up the memory. */
export function createQueue(atOnce: number, maxWaiting: number): Queue {
  const waiting: (() => void)[] = []
  let running = 0

  function assertRoom(): void {
    if (running < atOnce || waiting.length < maxWaiting) return
    throw new TooManyRequests("Too many passwords are waiting to be hashed", { retryAfterSeconds })
  }

  /** Hands the place to the next one, so that a newcomer cannot take it in between. */
  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  return {
    assertRoom,
    async run(work) {
      assertRoom()
      if (running < atOnce) running++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
