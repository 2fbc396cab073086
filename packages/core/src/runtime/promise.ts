import type { Awaitable, Clock } from "../types/basics.js"

/**
 * Goes on with a value: at once when it is there, later when it is a promise. Keeps a path without waiting synchronous.
 */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromiseLike(value) ? value.then(next) : next(value)
}

function isPromiseLike<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
}

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

/**
 * The system's time. Looked up at each call, so that a test which holds `Date` still holds the service still as well.
 */
export const systemClock: Clock = () => Date.now()
