import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { InvalidConfiguration } from "../errors/errors.js"
import { parseIpRange } from "../host/client-address.js"
import { resolveRequestLimits } from "../http/limits.js"
import { validateOAuth } from "../methods/oauth/oauth.js"
import type { AuthConfig } from "../types/config.js"
import { resolveConfig } from "./resolve.js"
import { findMistypedOptions, readIpRange, validateConfig } from "./validate.js"

/** Options from JavaScript hosts and settings files, without type checks. */
type Given = Readonly<Record<string, unknown>>

function toConfig(given: Given): AuthConfig {
  const config: object = {
    providers: [],
    secret: "a secret of at least thirty-two characters",
    trustHost: true,
    ...given,
  }
  return config as AuthConfig // as: see `Given`.
}

/** The first error that the service finds. */
function validate(given: Given) {
  const config = toConfig(given)
  const [mistyped] = findMistypedOptions(config)
  if (mistyped) return new InvalidConfiguration(mistyped.sentence)
  return validateConfig(resolveConfig(config, { isProduction: true }), validateOAuth)
}

function expectMistake(given: Given, message: RegExp): void {
  const mistake = validate(given)
  expect([mistake?.type, mistake?.message]).toEqual(["InvalidConfiguration", expect.stringMatching(message)])
}

const notIntegers = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3"]

describe("findMistypedOptions", () => {
  const sentencesOf = (given: Given) => findMistypedOptions(toConfig(given)).map(({ sentence }) => sentence)

  it.each([
    [{ providers: "github" }, "providers: must be a list"],
    [{ providers: undefined }, "providers: must be a list"],
    [{ adapter: true }, "adapter: must be an object"],
    [{ basePath: [] }, "basePath: must be a path, such as /auth"],
    [{ callbacks: { jwt: "sub" } }, "callbacks.jwt: must be a function"],
    [{ events: 1 }, "events: must be an object"],
    [{ events: { signIn: "log" } }, "events.signIn: must be a function"],
    [{ cookies: { sessionToken: null } }, "cookies.sessionToken: must be an object"],
    [{ cookies: "lax" }, "cookies: must be an object"],
    [{ session: "jwt" }, "session: must be an object"],
    [{ session: { generateSessionToken: "uuid" } }, "session.generateSessionToken: must be a function"],
    [{ jwt: { encode: "HS256" } }, "jwt.encode: must be a function"],
    [{ pages: { error: 404 } }, "pages.error: must be a path that starts with one slash, or an http(s) URL"],
    [{ theme: { logo: {} } }, "theme.logo: must be a string"],
    [{ logger: { warn: true } }, "logger.warn: must be a function"],
    [{ requestLimits: 5 }, "requestLimits: must be an object"],
    [{ experimental: true }, "experimental: must be an object"],
    [{ trustHost: "false" }, "trustHost: must be true or false"],
    [{ trustHost: 1 }, "trustHost: must be true or false"],
    [{ debug: "false" }, "debug: must be true or false"],
    [{ useSecureCookies: "false" }, "useSecureCookies: must be true or false"],
    [{ experimental: { enableWebAuthn: "true" } }, "experimental.enableWebAuthn: must be true or false"],
  ])("names the option in %j", (given, sentence) => {
    expect(sentencesOf(given)).toEqual([sentence])
  })

  it("lists each option once", () => {
    const given = { basePath: 1, pages: { signIn: 1, error: 2 }, theme: "dark" }
    expect(findMistypedOptions(toConfig(given)).map(({ option }) => option)).toEqual(["basePath", "pages", "theme"])
  })

  it("accepts missing options, null, inherited methods and unknown fields", () => {
    class Store {
      getUser(): null {
        return null
      }
    }
    const logger = { level: "info", error: () => {} }
    expect(sentencesOf({ session: null, theme: undefined, adapter: new Store(), logger, pages: {} })).toEqual([])
    expect(sentencesOf({ adapter: () => {}, callbacks: { authorized: true }, cookies: { state: {} } })).toEqual([])
    expect(sentencesOf({ pages: { newUser: null } })).toEqual([])
    expect(sentencesOf({ events: { signIn: null, signOut: undefined } })).toEqual([])
  })

  it("reports an option whose getter throws", () => {
    const theme = {
      get name(): string {
        throw new Error("no name yet")
      },
    }
    expect(sentencesOf({ theme })).toEqual(["theme: cannot be read: no name yet"])
  })

  it("does not read options without a type test, whose getters may throw", () => {
    const fail = (): never => {
      throw new Error("read")
    }
    const given = {
      requestLimits: Object.defineProperty({}, "bodyBytes", { get: fail, enumerable: true }),
      rateLimit: Object.defineProperty({}, "budgets", { get: fail, enumerable: true }),
    }
    const config = Object.defineProperty(toConfig(given), "secret", { get: fail, enumerable: true })
    expect(findMistypedOptions(config)).toEqual([])
  })
})

describe("session and jwt options", () => {
  it.each([Number.NaN, -1, 0, Number.POSITIVE_INFINITY, 1e12, "30"])("CONF-07: refuse the lifetime %j", (seconds) => {
    expectMistake({ session: { maxAge: seconds } }, /^session\.maxAge: must be a number of seconds above 0/)
    expectMistake({ session: { absoluteMaxAge: seconds } }, /^session\.absoluteMaxAge: must be .*above 0/)
    expectMistake({ jwt: { maxAge: seconds } }, /^jwt\.maxAge: must be .*above 0 and at most 100 years$/)
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "30"])("CONF-07: refuse session.updateAge %j", (updateAge) => {
    expectMistake({ session: { updateAge } }, /^session\.updateAge: must be a number of seconds, 0 or more$/)
  })

  it.each(["cookie", "", "JWT", 1])("refuse session.strategy %j", (strategy) => {
    expectMistake({ session: { strategy } }, /^session\.strategy: must be "jwt" or "database"$/)
  })

  it.each([{ maxAge: 1 }, { updateAge: 0 }, { maxAge: null, updateAge: null, strategy: null }])(
    "accept session: %j",
    (session) => expect(validate({ session })).toBeNull(),
  )
})

describe("pages", () => {
  it.each(["//evil.test", "/\\evil.test", "javascript:1", "data:text/html,x", "signin", "", 5])(
    "CONF-05: refuse pages.signIn %j",
    (signIn) => {
      expectMistake(
        { pages: { signIn } },
        /^pages\.signIn: must be a path that starts with one slash, or an http\(s\) URL/,
      )
    },
  )

  it.each(["/in", "/in?lang=de", "https://login.test/in", "http://localhost:3000/in", undefined, null])(
    "accept pages.signIn %j",
    (signIn) => expect(validate({ pages: { signIn, error: "/error" } })).toBeNull(),
  )
})

describe("trustedProxies and clientAddress", () => {
  it.each<[Given, RegExp]>([
    [{ trustedProxies: "10.0.0.1" }, /^trustedProxies: must be a list/],
    [{ trustedProxies: ["10.0.0.1", "proxy.internal"] }, /^trustedProxies\[1\]: must be an address or a range/],
    [{ trustedProxies: ["10.0.0.0/33"] }, /^trustedProxies\[0\]: must be an address or a range/],
    [{ trustedProxies: [7] }, /^trustedProxies\[0\]: must be/],
    [{ trustedProxies: ["0.0.0.0/0"] }, /^trustedProxies\[0\]: covers every address/],
    [{ trustedProxies: ["::/0"] }, /^trustedProxies\[0\]: covers every address/],
    [{ clientAddress: "x-real-ip" }, /^clientAddress: must be a function/],
  ])("refuse %j", expectMistake)

  it.each<Given>([
    { trustedProxies: [] },
    { trustedProxies: ["10.0.0.0/8", "2001:db8::1", "::ffff:10.0.0.0/104"] },
    { clientAddress: () => "192.0.2.1" },
  ])("accept %j", (given) => expect(validate(given)).toBeNull())
})

describe("rateLimit", () => {
  const budget = (signIn: unknown) => ({ budgets: { signIn } })
  const store = { consume: () => {}, refund: () => {}, has: () => {}, forget: () => {} }

  it.each<[unknown, RegExp]>([
    [true, /^rateLimit: must be an object, or false/],
    ["60/min", /^rateLimit: must be an object/],
    [null, /^rateLimit: must be an object/],
    [{ store: {} }, /^rateLimit\.store: must be an object with the methods consume, refund, has, forget/],
    [{ store: { ...store, refund: undefined } }, /^rateLimit\.store: /],
    [{ whenStoreFails: "open" }, /^rateLimit\.whenStoreFails: must be "count-locally" or "refuse"/],
    [{ accountOf: "email" }, /^rateLimit\.accountOf: must be a function/],
    [{ budgets: 5 }, /^rateLimit\.budgets: must be an object/],
    [
      { budgets: { signin: { limit: 1, windowSeconds: 1 } } },
      /^rateLimit\.budgets\.signin: unknown option\. Use signIn, callback, /,
    ],
    [{ budgets: { toString: false } }, /^rateLimit\.budgets\.toString: unknown option/],
    [budget(true), /^rateLimit\.budgets\.signIn: must be an object, or false/],
    [budget(null), /^rateLimit\.budgets\.signIn: must be an object, or false/],
    [budget({ windowSeconds: 60 }), /^rateLimit\.budgets\.signIn\.limit: must be an integer of at least 1/],
    [budget({ limit: 3 }), /^rateLimit\.budgets\.signIn\.windowSeconds: must be an integer/],
    ...notIntegers.flatMap((odd): [unknown, RegExp][] => [
      [budget({ limit: odd, windowSeconds: 60 }), /^rateLimit\.budgets\.signIn\.limit: must be an integer/],
      [budget({ limit: 3, windowSeconds: odd }), /^rateLimit\.budgets\.signIn\.windowSeconds: must be an integer/],
    ]),
    [budget({ limit: 3, windowSeconds: 366 * 86_400 }), /^rateLimit\.budgets\.signIn\.windowSeconds: .*at most a year/],
  ])("refuses %j", (rateLimit, message) => expectMistake({ rateLimit }, message))

  it.each<unknown>([
    undefined,
    false,
    {},
    { budgets: { signIn: false, callback: undefined } },
    { store, whenStoreFails: "refuse", accountOf: () => undefined },
    budget({ limit: 1, windowSeconds: 1 }),
  ])("accepts %j", (rateLimit) => expect(validate({ rateLimit })).toBeNull())
})

describe("requestLimits", () => {
  const messageOf = (requestLimits: object) => validate({ requestLimits })?.message

  it.each(Object.keys(resolveRequestLimits()))("CONF-07: refuses %s that is not an integer in its range", (name) => {
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40, "64kb", {}, true]) {
      const sentence = new RegExp(`^requestLimits\\.${name}: must be an integer from \\d+ to \\d+$`)
      expect(messageOf({ [name]: value })).toMatch(sentence)
    }
  })

  it("accepts the defaults", () => {
    expect(messageOf({})).toBeUndefined()
    expect(messageOf({ bodyBytes: undefined, flows: undefined })).toBeUndefined()
  })

  it("accepts the minimum and the maximum of each", () => {
    const least = { bodyBytes: 1024, headerBytes: 4096, urlLength: 1024, queryPairs: 10, jsonDepth: 4 }
    expect(messageOf({ ...least, sessionChunks: 1, flows: 1, passkeyChallenges: 1 })).toBeUndefined()
    const mebi = 1024 * 1024
    const most = { bodyBytes: 16 * mebi, headerBytes: mebi, urlLength: mebi, queryPairs: 10_000, jsonDepth: 1000 }
    expect(messageOf({ ...most, sessionChunks: 20, flows: 20, passkeyChallenges: 10 })).toBeUndefined()
    expect(messageOf({ sessionChunks: 21 })).toMatch(/from 1 to 20$/)
  })

  it("refuses headers that are too small for the largest session", () => {
    const sentence = /^requestLimits\.headerBytes: must be at least 81920, .*or lower sessionChunks$/
    expect(messageOf({ headerBytes: 81_919, sessionChunks: 20 })).toMatch(sentence)
    expect(messageOf({ headerBytes: 81_920, sessionChunks: 20 })).toBeUndefined()
    expect(messageOf({ headerBytes: 12_288 })).toBeUndefined()
    expect(messageOf({ headerBytes: 16_384, sessionChunks: 4 })).toBeUndefined()
  })

  it("refuses an unknown limit", () => {
    expect(messageOf({ bodySize: 1024 })).toMatch(
      /^requestLimits\.bodySize: unknown option\. Use sessionChunks, bodyBytes, /,
    )
    expect(messageOf(JSON.parse('{"__proto__":1}'))).toMatch(/^requestLimits\.__proto__: unknown option/)
  })
})

describe("readIpRange", () => {
  it("accepts what the parser of ranges accepts, but no range of every address", () => {
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4().map((text) => `::ffff:${text}`),
      fc.constantFrom("::", "fe80::1%eth0", "64:ff9b::1.2.3.4", "localhost", "1.2.3", "0x7f.1", "1.2.3.4:80", "[::1]"),
      fc.string({ unit: fc.constantFrom(..."0123456789abcdef:.%"), maxLength: 20 }),
    )
    const length = fc.oneof(fc.integer({ min: 0, max: 140 }).map(String), fc.constantFrom("", "08", "-1", "x", "8/8"))
    const range = fc
      .tuple(address, fc.option(length))
      .map(([start, bits]) => (bits === null ? start : `${start}/${bits}`))
    fc.assert(
      fc.property(range, (text) => {
        const read = readIpRange(text)
        const isAccepted = read !== null && !read.isEveryAddress
        expect(isAccepted, text).toBe((parseIpRange(text)?.prefixLength ?? 0) > 0)
      }),
      { numRuns: 3000 },
    )
  })
})
