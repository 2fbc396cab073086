import type { Awaitable, Clock } from "../types/basics.js"

/** Calls `next` with the value: at once if it is there, later if it is a promise. Keeps synchronous paths synchronous. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  // `resolve` returns a promise as it is. Apps return other thenables too, such as queries, which run at each `then`.
  return isPromiseLike(value) ? Promise.resolve(value).then(next) : next(value)
}

/** Calls `work`, and `rescue` with what it throws, at once or later. */
export function attempt<T>(work: () => Awaitable<T>, rescue: (thrown: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const value = work()
    return isPromiseLike(value) ? Promise.resolve(value).then(undefined, rescue) : value
  } catch (thrown) {
    return rescue(thrown)
  }
}

/** What an `async` function does with errors, without its promise: a failure is a rejected one, a value is there at once. */
export function rejecting<T>(work: () => Awaitable<T>): Awaitable<T> {
  try {
    return work()
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}

/** Like `Promise.all`, but at once if all values are there. */
export function all<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some(isPromiseLike) ? Promise.all(values) : (values as readonly T[]) // as: none is a promise.
}

/** Whether a value comes later. */
export function isPromiseLike<T>(value: Awaitable<T>): value is PromiseLike<T> {
  // as: an object may have the method. Asking `in` first would look it up twice.
  return typeof value === "object" && value !== null && typeof (value as Partial<PromiseLike<T>>).then === "function"
}

/** How long a request waits for the app's own code, such as event handlers and mail senders, in milliseconds. */
export const hostDeadlineMs = 10_000

/**
 * Waits for a promise until the deadline. A later result is dropped, including an error.
 * @param createError Creates the error that is thrown at the deadline.
 */
export function withDeadline<T>(work: PromiseLike<T>, deadlineMs: number, createError: () => Error): Promise<T> {
  // One promise, where `Promise.race` takes eight.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(createError()), deadlineMs)
    const inTime =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer)
        settle(value)
      }
    work.then(inTime(resolve), inTime(reject))
  })
}

/** Waits for work that never fails, but not longer than this. Afterwards it goes on. */
export function waitAtMost(work: Promise<void>, longestMs: number): Promise<void> {
  return withDeadline(work, longestMs, Error).catch(() => {})
}

/** The system's time. Looks `Date` up at each call, so that tests can replace it. */
export const systemClock: Clock = () => Date.now()

/** By how much the clocks of two processes may differ. */
export const clockToleranceMs: number = 60_000
