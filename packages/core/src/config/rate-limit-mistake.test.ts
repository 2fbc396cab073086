import { describe, expect, it } from "vitest"
import type { AuthConfig } from "../contract/config.js"
import { findMistake } from "./find-mistake.js"
import { resolveConfig } from "./resolve-config.js"

const secret = "a secret of at least thirty-two characters"
const production = { isProduction: true }

/** Configurations as JavaScript hosts write them: no type checker has seen them. */
type Given = Readonly<Record<string, unknown>>

function find(given: Given) {
  const config: object = { providers: [], secret, trustHost: true, ...given }
  return findMistake(resolveConfig(config as AuthConfig, production))
}

const limit = (rateLimit: unknown) => ({ rateLimit })
const budget = (signIn: unknown) => limit({ budgets: { signIn } })
const store = { consume: () => {}, refund: () => {}, has: () => {}, forget: () => {} }

describe("findRateLimitMistake", () => {
  it.each<[Given, RegExp]>([
    [limit(true), /^rateLimit: must be an object, or false/],
    [limit("60/min"), /^rateLimit: must be an object/],
    [limit(null), /^rateLimit: must be an object/],
    [limit({ store: {} }), /^rateLimit\.store: must have consume, refund, has, forget/],
    [limit({ store: { ...store, refund: undefined } }), /^rateLimit\.store: /],
    [limit({ whenStoreFails: "open" }), /^rateLimit\.whenStoreFails: must be "count-locally" or "refuse"/],
    [limit({ accountOf: "email" }), /^rateLimit\.accountOf: must be a function/],
    [limit({ budgets: 5 }), /^rateLimit\.budgets: must be an object/],
    [
      limit({ budgets: { signin: { limit: 1, windowSeconds: 1 } } }),
      /^rateLimit\.budgets\.signin: there is no such budget, only signIn,/,
    ],
    [limit({ budgets: { toString: false } }), /^rateLimit\.budgets\.toString: there is no such budget/],
    [budget(true), /^rateLimit\.budgets\.signIn\.limit: must be/],
    [budget(null), /^rateLimit\.budgets\.signIn\.limit: must be/],
    ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3"].flatMap((odd): [Given, RegExp][] => [
      [budget({ limit: odd, windowSeconds: 60 }), /^rateLimit\.budgets\.signIn\.limit: must be a whole number/],
      [budget({ limit: 3, windowSeconds: odd }), /^rateLimit\.budgets\.signIn\.windowSeconds: must be a whole number/],
    ]),
    [budget({ limit: 3, windowSeconds: 366 * 86_400 }), /^rateLimit\.budgets\.signIn\.windowSeconds: .*at most a year/],
  ])("refuses %j", (given, message) => {
    const mistake = find(given)
    expect([mistake?.type, mistake?.message]).toEqual(["InvalidConfiguration", expect.stringMatching(message)])
  })

  it.each<Given>([
    limit(undefined),
    limit(false),
    limit({}),
    limit({ budgets: { signIn: false, callback: undefined } }),
    limit({ store, whenStoreFails: "refuse", accountOf: () => undefined }),
    budget({ limit: 1, windowSeconds: 1 }),
  ])("has nothing to say against %j", (given) => expect(find(given)).toBeNull())
})
