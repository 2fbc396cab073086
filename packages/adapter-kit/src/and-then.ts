import type { Awaitable } from "@latchkey/core/adapters"

/** Continues with a value: at once if it is there already, or when its promise resolves. Creates no promise of its own. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromiseLike(value) ? value.then(next) : next(value)
}

function isPromiseLike<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
}
