import { readFileSync } from "node:fs"

/** A cookie as a library set it. */
export interface FixtureCookie {
  readonly name: string
  readonly value: string
}

/** Sessions that a library made, with its secrets. */
export interface Fixture {
  readonly [field: string]: unknown
}

export function readFixture<T extends object = Fixture>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"))
}

/** A `Cookie` header with values as they were set. */
export function toHeader(cookies: readonly FixtureCookie[]): string {
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
}

/** When the fixtures are valid. */
export const day = "2026-11-28T08:05:00Z"
export const until = new Date("2027-03-01T00:00:00Z")
