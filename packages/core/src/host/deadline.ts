/** Milliseconds that the host's own code (event handlers, mail senders) may take before a visitor stops waiting for it. */
export const hostDeadline = 10_000

/** Waits for a promise, but not for ever. What comes later is dropped, its failure included. */
export async function withDeadline<T>(work: PromiseLike<T>, milliseconds: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
