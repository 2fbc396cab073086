import { vi } from "vitest"

/** Lets the fake timers run until a promise is settled, however long it waits for them. */
export async function passTime<T>(pending: Promise<T>): Promise<T> {
  let isSettled = false
  const settled = pending.finally(() => {
    isSettled = true
  })
  try {
    while (!isSettled) {
      await new Promise((resolve) => setImmediate(resolve))
      await vi.advanceTimersByTimeAsync(100)
    }
  } finally {
    vi.useRealTimers()
  }
  return settled
}
