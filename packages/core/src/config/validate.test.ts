import { describe, expect, it } from "vitest"
import { resolveRequestLimits } from "../http/limits.js"
import type { AuthConfig, RequestLimits } from "../types/config.js"
import { resolveConfig } from "./resolve.js"
import { findMistypedOptions, validateConfig, validateRequestLimits } from "./validate.js"

describe("findRateLimitMistake", () => {
  const secret = "a secret of at least thirty-two characters"

  const production = { isProduction: true }

  /** Configurations as JavaScript hosts write them: no type checker has seen them. */
  type Given = Readonly<Record<string, unknown>>

  function find(given: Given) {
    const config: object = { providers: [], secret, trustHost: true, ...given }
    return validateConfig(resolveConfig(config as AuthConfig, production))
  }

  const limit = (rateLimit: unknown) => ({ rateLimit })

  const budget = (signIn: unknown) => limit({ budgets: { signIn } })

  const store = { consume: () => {}, refund: () => {}, has: () => {}, forget: () => {} }

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

const mistakeIn = (given: object) => validateRequestLimits(resolveRequestLimits(given))
const names = Object.keys(resolveRequestLimits()) as (keyof RequestLimits)[] // The keys of a literal.

describe("findRequestLimitsMistake", () => {
  it.each(names)("CONF-07: refuses %s that is no whole number, or out of all reason", (name) => {
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40, "64kb", {}, true]) {
      expect(mistakeIn({ [name]: value })).toMatch(
        new RegExp(`^requestLimits\\.${name}: must be a whole number from \\d+ to \\d+$`),
      )
    }
  })

  it("finds nothing in the defaults, nor in what is left open", () => {
    expect(mistakeIn({})).toBeNull()
    expect(mistakeIn({ bodyBytes: undefined, flows: undefined })).toBeNull()
  })

  it("takes the least and the most of each", () => {
    const least = { bodyBytes: 1024, headerBytes: 4096, urlLength: 1024, queryPairs: 10, jsonDepth: 4 }
    expect(mistakeIn({ ...least, sessionChunks: 1, flows: 1, passkeyChallenges: 1 })).toBeNull()
    const mebi = 1024 * 1024
    const most = { bodyBytes: 16 * mebi, headerBytes: mebi, urlLength: mebi, queryPairs: 10_000, jsonDepth: 1000 }
    expect(mistakeIn({ ...most, sessionChunks: 20, flows: 20, passkeyChallenges: 10 })).toBeNull()
    expect(mistakeIn({ sessionChunks: 21 })).toMatch(/from 1 to 20$/)
  })

  it("refuses headers that could not bring back the sessions that the service writes", () => {
    const sentence =
      /^requestLimits\.headerBytes: must be at least 81920, .* Lower requestLimits\.sessionChunks as well$/
    expect(mistakeIn({ headerBytes: 81_919 })).toMatch(sentence)
    expect(mistakeIn({ headerBytes: 81_920 })).toBeNull()
    expect(mistakeIn({ headerBytes: 16_384, sessionChunks: 4 })).toBeNull()
  })

  it("names a limit that there is not", () => {
    expect(mistakeIn({ bodySize: 1024 })).toMatch(/^requestLimits\.bodySize: there is no such limit, only bodyBytes, /)
    expect(mistakeIn(JSON.parse('{"__proto__":1}'))).toMatch(/^requestLimits\.__proto__: there is no such limit/)
  })
})

/** What a host without types may write. */
function sentencesOf(changes: Readonly<Record<string, unknown>>): readonly string[] {
  const config = { providers: [], ...changes } as AuthConfig // as: its values are not of its types
  return findMistypedOptions(config).map(({ sentence }) => sentence)
}

describe("findMistypedOptions", () => {
  it.each([
    [{ providers: "github" }, "providers: must be a list"],
    [{ adapter: true }, "adapter: must be an object"],
    [{ basePath: [] }, "basePath: must be text"],
    [{ callbacks: { jwt: "sub" } }, "callbacks.jwt: must be a function"],
    [{ events: 1 }, "events: must be an object"],
    [{ cookies: { sessionToken: null } }, "cookies.sessionToken: must be an object"],
    [{ cookies: "lax" }, "cookies: must be an object"],
    [{ session: "jwt" }, "session: must be an object"],
    [{ pages: { error: 404 } }, "pages.error: must be text"],
    [{ theme: { logo: {} } }, "theme.logo: must be text"],
    [{ logger: { warn: true } }, "logger.warn: must be a function"],
    [{ experimental: true }, "experimental: must be an object"],
  ])("names the option in %j", (changes, sentence) => {
    expect(sentencesOf(changes)).toEqual([sentence])
  })

  it("takes what is left out, null included, and what has more than is known of it", () => {
    class Store {
      getUser(): null {
        return null
      }
    }
    const logger = { level: "info", error: () => {} }
    expect(sentencesOf({ session: null, theme: undefined, adapter: new Store(), logger, pages: {} })).toEqual([])
    expect(sentencesOf({ adapter: () => {}, callbacks: { authorized: true }, cookies: { state: {} } })).toEqual([])
  })
})

describe("findClientAddressMistake", () => {
  const secret = "a secret of at least thirty-two characters"

  const production = { isProduction: true }

  /** Configurations as JavaScript hosts write them: no type checker has seen them. */
  type Given = Readonly<Record<string, unknown>>

  function find(given: Given) {
    const config: object = { providers: [], secret, trustHost: true, ...given }
    return validateConfig(resolveConfig(config as AuthConfig, production))
  }

  it.each<[Given, RegExp]>([
    [{ trustedProxies: "10.0.0.1" }, /^trustedProxies: must be a list/],
    [{ trustedProxies: ["10.0.0.1", "proxy.internal"] }, /^trustedProxies\[1\]: must be an address or a range/],
    [{ trustedProxies: ["10.0.0.0/33"] }, /^trustedProxies\[0\]: must be an address or a range/],
    [{ trustedProxies: [7] }, /^trustedProxies\[0\]: must be/],
    [{ trustedProxies: ["0.0.0.0/0"] }, /^trustedProxies\[0\]: is every address/],
    [{ trustedProxies: ["::/0"] }, /^trustedProxies\[0\]: is every address/],
    [{ clientAddress: "x-real-ip" }, /^clientAddress: must be a function/],
  ])("refuses %j", (given, message) => {
    const mistake = find(given)
    expect([mistake?.type, mistake?.message]).toEqual(["InvalidConfiguration", expect.stringMatching(message)])
  })

  it.each<Given>([
    { trustedProxies: [] },
    { trustedProxies: ["10.0.0.0/8", "2001:db8::1", "::ffff:10.0.0.0/104"] },
    { clientAddress: () => "192.0.2.1" },
  ])("has nothing to say against %j", (given) => expect(find(given)).toBeNull())
})
