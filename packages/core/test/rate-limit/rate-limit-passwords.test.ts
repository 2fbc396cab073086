import { Auth } from "@latchkey/core"
import type { RateLimitOptions } from "@latchkey/core/types"
import { fixedClock } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { memoryStore } from "../../src/rate-limit/counters.js"
import {
  at,
  isTooMany,
  only,
  openLimited,
  repeat,
  requests,
  somewhere,
  strategies,
  tryPassword,
} from "../setup/rate-limit-setup.js"
import { post, readAnswer } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

const address = "198.51.100.7"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("wrong passwords", () => {
  it("RATE-05: wrong passwords from hundreds of addresses for one account are limited to a hundred", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const host = openLimited({ budgets: { callback: false } })
    const visitor = somewhere(host, 0)
    const csrfToken = await visitor.csrfToken()
    const pairs = visitor.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const headers = { cookie: pairs.join("; "), "content-type": "application/json", "x-auth-return-redirect": "1" }
    const body = JSON.stringify({ csrfToken, u: "v", p: "wrong" })
    let refused = 0
    for (let n = 0; n < 300; n++) {
      const request = new Request("https://app.test/auth/callback/cred", { method: "POST", headers, body })
      const { status } = await Auth(request, host.config, { clientAddress: `198.51.${n >> 8}.${n & 255}` })
      if (status === 429) refused += 1
    }
    expect([host.tried.length, refused]).toEqual([100, 200])
  })

  it.each(strategies)(
    "RATE-05: strangers' wrong passwords do not lock users out where they signed in before (%s sessions)",
    async (_, options) => {
      using clock = fixedClock()
      const host = openLimited({ budgets: { failuresPerAccount: { limit: 5, windowSeconds: 3600 } } }, options())
      const home = at(host, "203.0.113.1")
      await home.signIn("cred", { u: "v", p: "right" })
      const strangers = []
      for (let n = 0; n < 10; n++) strangers.push(await tryPassword(somewhere(host, n), "v", "wrong"))
      expect(strangers.map(isTooMany)).toEqual([...Array(5).fill(false), ...Array(5).fill(true)])
      const again = await tryPassword(at(host, "203.0.113.1"), "v", "right")
      expect([again.status, again.location]).toEqual([302, "https://app.test"])
      expect(isTooMany(await tryPassword(somewhere(host, 99), "v", "right"))).toBe(true)
      clock.advance({ hours: 1 })
      expect(isTooMany(await tryPassword(somewhere(host, 99), "v", "right"))).toBe(false)
    },
  )

  it("RATE-05: have a separate budget on a known network, but no more than that", async () => {
    const budgets = {
      failuresPerAccount: { limit: 3, windowSeconds: 60 },
      failuresPerNetworkAndAccount: false,
    } as const
    const host = openLimited({ budgets })
    const home = at(host, "203.0.113.1")
    await tryPassword(home, "v", "right")
    expect(await repeat(5, () => tryPassword(home, "v", "wrong"))).toEqual({ passed: 3, refused: 2 })
    expect(await repeat(5, () => tryPassword(somewhere(host, 1), "v", "wrong"))).toEqual({ passed: 3, refused: 2 })
  })

  it("RATE-05: are not reset by signing in to an account with a similar name", async () => {
    const host = openLimited(only("failuresPerAccount", 3))
    const attacker = at(host, address)
    const guess = () => tryPassword(attacker, "victim", "wrong")
    for (let round = 0; round < 5; round++) {
      await guess()
      await tryPassword(attacker, "v\u00edctim", "right")
      await tryPassword(attacker, "Victim", "right")
    }
    expect(host.tried.filter(({ u }) => u === "victim")).toHaveLength(3)
    expect(isTooMany(await guess())).toBe(true)
  })

  it.each(["failuresPerAccount", "failuresPerNetworkAndAccount"] as const)(
    "RATE-05: are not reset by adding the victim's name to one's own sign-in (%s)",
    async (budget) => {
      const provider = passwordProvider({
        credentials: {},
        authorize: ({ email, password }) => (password === "right" ? { id: String(email) } : null),
      })
      const host = openLimited(only(budget, 3), { providers: [provider] })
      const send = (fields: Record<string, string>) => post(at(host, address), "/auth/callback/cred", fields)
      const refused = []
      for (let n = 0; n < 5; n++) {
        await send({ username: "victim", email: "mine", password: "right" })
        refused.push(isTooMany(await send({ email: "victim", password: "wrong" })))
      }
      expect(refused).toEqual([false, false, false, true, true])
      const fields = { email: "victim", password: "wrong" }
      const elsewhere = await post(at(host, "198.51.100.8"), "/auth/callback/cred", fields)
      expect(isTooMany(elsewhere)).toBe(budget === "failuresPerAccount")
    },
  )

  it("RATE-05: count even with a made-up name beside the account's", async () => {
    const provider = passwordProvider({ credentials: {}, authorize: () => null })
    const host = openLimited(only("failuresPerAccount", 3), { providers: [provider] })
    let index = 0
    const guess = () => {
      index += 1
      const fields = { username: `junk${index}`, email: "victim", password: "wrong" }
      return post(somewhere(host, index), "/auth/callback/cred", fields)
    }
    expect(await repeat(6, guess)).toEqual({ passed: 3, refused: 3 })
  })

  it("RATE-05: wrong passwords of one network for one account are limited without affecting others", async () => {
    const host = openLimited({ budgets: { failuresPerNetworkAndAccount: { limit: 3, windowSeconds: 60 } } })
    const stranger = at(host, address)
    expect(await repeat(6, () => tryPassword(stranger, "v", "wrong"))).toEqual({ passed: 3, refused: 3 })
    expect(isTooMany(await tryPassword(stranger, "w", "wrong"))).toBe(false)
    expect((await tryPassword(at(host, "203.0.113.1"), "v", "right")).location).toBe("https://app.test")
  })

  it("RATE-05: are reset by the right password", async () => {
    const host = openLimited({ budgets: { failuresPerNetworkAndAccount: { limit: 3, windowSeconds: 60 } } })
    const browser = at(host, address)
    for (let round = 0; round < 4; round++) {
      expect(await repeat(2, () => tryPassword(browser, "v", "wrong"))).toEqual({ passed: 2, refused: 0 })
      expect(isTooMany(await tryPassword(browser, "v", "right"))).toBe(false)
    }
  })

  it("wrong passwords of one network for many accounts are limited, but right ones are not", async () => {
    const host = openLimited(only("failuresPerNetwork", 3))
    const browser = at(host, address)
    expect(await repeat(10, () => tryPassword(browser, "mine", "right"))).toEqual({ passed: 10, refused: 0 })
    let index = 0
    const spray = () => tryPassword(browser, `user${++index}`, "Summer2026")
    expect(await repeat(6, spray)).toEqual({ passed: 3, refused: 3 })
    expect(isTooMany(await tryPassword(at(host, "198.51.100.8"), "user9", "wrong"))).toBe(false)
  })

  it.each([
    ["another case", (n: number) => (n % 2 ? "Victim" : "vICTIM")],
    ["blanks", (n: number) => `victim${" ".repeat(n)}`],
    ["accents", (n: number) => `victim${"\u0301".repeat(n)}`],
    ["numbers in JSON", (n: number) => (n % 2 ? "7" : 7)],
  ])("RATE-05: count for one account in any spelling: %s", async (_, spell) => {
    const host = openLimited(only("failuresPerAccount", 3))
    const statuses = []
    for (let n = 0; n < 6; n++) {
      const browser = somewhere(host, n)
      const csrfToken = await browser.csrfToken()
      const json = { csrfToken, u: spell(n), p: "wrong" }
      statuses.push(isTooMany(await readAnswer(await browser.fetch("/auth/callback/cred", { json }))))
    }
    expect(statuses).toEqual([false, false, false, true, true, true])
  })

  it("RATE-05, ENUM-02: get the same answer for existing and unknown accounts", async () => {
    using _ = fixedClock()
    const seen = async (u: string) => {
      const host = openLimited(only("failuresPerAccount", 2))
      const answers = []
      for (let n = 0; n < 4; n++) answers.push(await tryPassword(somewhere(host, n), u, "wrong"))
      return answers.map(({ status, location, headers, text }) => {
        const body = text.replace(/[0-9A-Z]{4}-[0-9A-Z]{2}/, "")
        return [status, location, headers.get("retry-after"), body]
      })
    }
    expect(await seen("v")).toEqual(await seen("nobody"))
  })

  it("RATE-07: are tried exactly as often as the limit allows, of a hundred at once", async () => {
    const host = openLimited(only("failuresPerNetworkAndAccount", 3))
    const browser = at(host, address)
    await browser.csrfToken()
    const answers = await Promise.all(Array.from({ length: 100 }, () => tryPassword(browser, "v", "wrong")))
    expect([host.tried.length, answers.filter(isTooMany).length]).toEqual([3, 97])
  })

  it("RATE-08: wrong passwords for made-up names do not stop other users where addresses are unknown", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const host = openLimited({})
    // More than any budget of failures.
    for (let n = 0; n < 400; n++) await tryPassword(host.newBrowser(), `made-up ${n}`, "wrong")
    const headers = { "x-forwarded-for": "203.0.113.9" }
    for (let n = 0; n < 20; n++) {
      const proxied = await post(
        at(host, "10.0.0.1"),
        "/auth/callback/cred",
        { u: `more ${n}`, p: "wrong" },
        { headers },
      )
      expect(isTooMany(proxied)).toBe(false)
    }
    expect((await tryPassword(host.newBrowser(), "v", "right")).location).toBe("https://app.test")
    expect(host.logger.warnings).toEqual(["client-address-unknown", "proxy-not-trusted"])
  }, 60_000)

  it("RATE-08: count for the account only if addresses are unknown", async () => {
    const budgets = {
      failuresPerAccount: { limit: 5, windowSeconds: 60 },
      failuresPerNetworkAndAccount: { limit: 1, windowSeconds: 60 },
    }
    const host = openLimited({ budgets })
    await tryPassword(host.newBrowser(), "v", "right")
    expect(await repeat(8, () => tryPassword(host.newBrowser(), "v", "wrong"))).toEqual({ passed: 5, refused: 3 })
    expect(isTooMany(await tryPassword(host.newBrowser(), "w", "wrong"))).toBe(false)
  })

  it("count for the account that accountOf returns", async () => {
    const host = openLimited({ ...only("failuresPerAccount", 2), accountOf: ({ tenant, u }) => `${tenant}/${u}` })
    const tryIn = (tenant: string) => async () =>
      post(host.newBrowser(), "/auth/callback/cred", { tenant, u: "v", p: "wrong" })
    expect(await repeat(3, tryIn("one"))).toEqual({ passed: 2, refused: 1 })
    expect(await repeat(3, tryIn("two"))).toEqual({ passed: 2, refused: 1 })
  })
})

describe("a function accountOf", () => {
  const open = (accountOf: (credentials: Readonly<Record<string, unknown>>) => unknown) =>
    // as: JavaScript can return anything
    openLimited({ ...only("failuresPerAccount", 2), accountOf: accountOf as () => string })

  it("RATE-05: fails the sign-in if it returns an object: all accounts would share one budget", async () => {
    const host = open(() => ({ id: "ada" }))
    const answer = await post(host.browser, "/auth/callback/cred", { u: "ada", p: "wrong" })
    expect(answer.location).toContain("error=Configuration")
    expect(host.tried).toEqual([])
    expect(host.logger.errors[0]?.message).toContain("rateLimit.accountOf")
  })

  it.each([null, undefined, ""])("counts for no account if it returns %j", async (account) => {
    const host = open(() => account)
    expect(await repeat(3, () => tryPassword(host.newBrowser(), "v", "wrong"))).toEqual({ passed: 3, refused: 0 })
    expect(host.tried).toHaveLength(3)
  })

  it.each([
    ["a number", ({ u }: Readonly<Record<string, unknown>>) => Number(u)],
    ["a promise", async ({ u }: Readonly<Record<string, unknown>>) => `user ${u}`],
  ])("RATE-05: tells accounts apart if it returns %s", async (_, accountOf) => {
    const host = open(accountOf)
    const tryAs = (u: string) => async () => post(host.newBrowser(), "/auth/callback/cred", { u, p: "wrong" })
    expect(await repeat(3, tryAs("1"))).toEqual({ passed: 2, refused: 1 })
    expect(await repeat(3, tryAs("2"))).toEqual({ passed: 2, refused: 1 })
  })

  it("keeps what it throws out of the log as far as it quotes the form", async () => {
    const host = open(({ p }) => {
      throw new Error(`cannot read ${String(p)}`)
    })
    await post(host.browser, "/auth/callback/cred", { u: "ada", p: "a secret phrase" })
    expect(host.logger.errors).not.toEqual([])
    expect(host.logger.texts().join()).not.toContain("a secret phrase")
  })
})

describe("the networks that an account is known on", () => {
  /** A store in memory that keeps its keys. */
  function openCounting() {
    const counts = new Map<string, number>()
    const change = (key: string, by: number) => {
      const used = (counts.get(key) ?? 0) + by
      counts.set(key, used)
      return { used, msLeft: 1000 }
    }
    const store = {
      consume: (key: string) => change(key, 1),
      refund: (key: string) => change(key, -1),
      has: (key: string) => counts.has(key),
      forget: (key: string) => counts.delete(key),
    }
    const known = () => [...counts.keys()].filter((key) => key.startsWith("knownNetworks:")).length
    return { store, known }
  }

  it.each([
    ["one name", () => "v"],
    ["many spellings of one name", (n: number) => `v${" ".repeat(n)}`],
  ])("RATE-05: are ten more each day at most, for sign-ins with %s", async (_, spell) => {
    const { store, known } = openCounting()
    const host = openLimited({ store, budgets: { callback: false } })
    for (let n = 0; n < 50; n++) await tryPassword(somewhere(host, n), spell(n), "right")
    expect(known()).toBe(10)
    await tryPassword(somewhere(host, 0), "w", "right")
    expect(known()).toBe(11)
  })

  it("RATE-05: are ten more each day at most, for sign-ins with subaddresses of one mailbox", async () => {
    const { store, known } = openCounting()
    const lifted = { callback: false, mailsPerAddress: false, mailRepeats: false } as const
    const host = openLimited({ store, budgets: lifted })
    for (let n = 0; n < 20; n++) {
      const browser = somewhere(host, n)
      await post(browser, "/auth/signin/email", { email: `v+${n}@corp.test` })
      await browser.open(host.mailbox.lastLink())
    }
    expect(known()).toBe(10)
  })

  it("RATE-05: stay known for 90 days after the last sign-in", async () => {
    using clock = fixedClock()
    const host = openLimited({ budgets: { failuresPerAccount: { limit: 2, windowSeconds: 60 } } })
    const home = at(host, "203.0.113.1")
    const signInDuringAnAttack = async () => {
      for (let n = 0; n < 4; n++) await tryPassword(somewhere(host, n), "v", "wrong")
      return !isTooMany(await tryPassword(home, "v", "right"))
    }
    await tryPassword(home, "v", "right")
    clock.advance({ seconds: 80 * 86_400 })
    await tryPassword(home, "v", "right")
    clock.advance({ seconds: 90 * 86_400 - 1 })
    expect(await signInDuringAnAttack()).toBe(true)
    clock.advance({ seconds: 92 * 86_400 })
    expect(await signInDuringAnAttack()).toBe(false)
  })

  it("RATE-05: stay known when another account signs in from more networks than the process remembers", async () => {
    const failuresPerAccount = { limit: 2, windowSeconds: 60 }
    const host = openLimited({ store: memoryStore(Date.now, 30), budgets: { failuresPerAccount } })
    await tryPassword(at(host, "203.0.113.1"), "v", "right")
    for (let n = 0; n < 100; n++) await tryPassword(somewhere(host, n), "attacker", "right")
    for (let n = 0; n < 4; n++) await tryPassword(somewhere(host, n), "v", "wrong")
    expect(isTooMany(await tryPassword(somewhere(host, 5), "v", "right"))).toBe(true)
    expect((await tryPassword(at(host, "203.0.113.1"), "v", "right")).location).toBe("https://app.test")
  })
})

describe("the app's store", () => {
  it("receives no address and no name", async () => {
    const keys: string[] = []
    const keep = (key: string) => {
      keys.push(key)
      return { used: 1, msLeft: 1000 }
    }
    const store = { consume: keep, refund: keep, forget: keep, has: (key: string) => keep(key) && false }
    const host = openLimited({ store })
    const browser = at(host, address)
    await tryPassword(browser, "victim", "right")
    await post(browser, "/auth/signin/email", { email: "victim@corp.test" })
    const budgets = new Set(keys.map((key) => key.split(":")[0]))
    expect([...budgets].sort()).toEqual([
      "callback",
      "failuresPerAccount",
      "failuresPerNetwork",
      "failuresPerNetworkAndAccount",
      "knownNetworks",
      "mailRepeats",
      "mailsPerAddress",
      "mailsPerNetwork",
      "newNetworks",
      "signIn",
    ])
    for (const key of keys) expect(key).toMatch(/^[A-Za-z]+:[0-9a-f]{32}$/)
  })

  it("RATE-07: is replaced by a local count when it fails, with a log entry", async () => {
    const fail = () => Promise.reject(new Error("connection refused"))
    const store = { consume: fail, refund: fail, forget: fail, has: fail }
    const host = openLimited({ store, ...only("signOut", 3) })
    expect(await repeat(5, () => requests.signOut(at(host, address)))).toEqual({ passed: 3, refused: 2 })
    expect(host.logger.errorTypes().slice(0, 1)).toEqual(["AuthError"])
  })

  it("RATE-07: rejects sign-ins when it fails with whenStoreFails: reject", async () => {
    const fail = () => Promise.reject(new Error("connection refused"))
    const store = { consume: fail, refund: fail, forget: fail, has: fail }
    const host = openLimited({ store, whenStoreFails: "refuse" })
    expect((await tryPassword(at(host, address), "v", "right")).location).toBe(
      "https://app.test/auth/error?error=Configuration",
    )
    expect(host.tried).toEqual([])
  })
})

describe("a form that names no account", () => {
  const open = (rateLimit: RateLimitOptions) => {
    const provider = passwordProvider({ credentials: { pin: {} }, authorize: () => null })
    return openLimited(rateLimit, { providers: [provider] })
  }

  it("is reported once, without what was typed", async () => {
    const host = open(only("failuresPerAccount", 2))
    for (const pin of ["4711", "4712", "4713"]) await post(host.browser, "/auth/callback/cred", { pin })
    expect(host.logger.warnings.filter((code) => code === "account-unnamed")).toHaveLength(1)
    expect(host.logger.warningDetails).toContain("providers.cred")
    expect(host.logger.texts().join()).not.toMatch(/471[123]/)
  })

  it("has one budget for all attempts if accountOf returns a fixed text", async () => {
    const host = open({ ...only("failuresPerAccount", 2), accountOf: () => "everyone" })
    const statuses = []
    for (const pin of ["1", "2", "3"]) statuses.push((await post(host.browser, "/auth/callback/cred", { pin })).status)
    expect(statuses).toEqual([302, 302, 429])
    expect(host.logger.warnings).not.toContain("account-unnamed")
  })

  it("is not reported for a form whose field was left empty", async () => {
    const host = openLimited(only("failuresPerAccount", 2))
    await post(host.browser, "/auth/callback/cred", { u: "", p: "wrong" })
    expect(host.logger.warnings).not.toContain("account-unnamed")
  })
})
