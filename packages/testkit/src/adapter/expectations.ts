import type { Awaitable } from "@latchkey/core/adapters"
import { expect } from "vitest"

/**
 * The record has the expected fields. A field that is null may as well be absent, and a store may add fields of its
 * own; a date must be a `Date` of the same millisecond.
 */
export function expectRecord(actual: unknown, expected: object): void {
  expect(actual).toBeTypeOf("object")
  expect(withoutNulls(actual ?? {})).toMatchObject(withoutNulls(expected))
  for (const [field, value] of Object.entries(expected)) {
    if (value === null) expect(Reflect.get(actual ?? {}, field) ?? null, field).toBeNull()
  }
}

/** "Not there", which some stores say with null and some with undefined. */
export function expectNothing(actual: unknown): void {
  expect(actual ?? null).toBeNull()
}

/** The call is refused, at once or later. */
export async function expectRefusal(call: () => unknown): Promise<void> {
  await expect((async () => await call())()).rejects.toThrow()
}

/** What a call gives; nothing when it is refused. For input that may be refused but must find nothing. */
export async function orRefusal<T>(call: () => Awaitable<T>): Promise<T | null> {
  try {
    return await call()
  } catch {
    // A refusal is one of the right answers; the caller looks at what was found.
    return null
  }
}

function withoutNulls(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined))
}
