import type { Awaitable } from "../contract/awaitable.js"

/**
 * Goes on with a value: at once when it is there, later when it is a promise. Keeps a path without waiting synchronous.
 */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromiseLike(value) ? value.then(next) : next(value)
}

function isPromiseLike<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
}
