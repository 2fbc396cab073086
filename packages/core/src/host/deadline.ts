/**
 * Milliseconds that the host's own code (event handlers, mail senders) may take before a visitor stops waiting for it.
 */
export const hostDeadlineMs = 10_000

/**
 * Waits for a promise, but not for ever. What comes later is dropped, its failure included.
 * @param late What is thrown when the time is up.
 */
export async function withDeadline<T>(work: PromiseLike<T>, deadlineMs: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), deadlineMs)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
