import { createHmac } from "node:crypto"
import type { Awaitable } from "@latchkey/core/adapters"
import { secondFactors, totp } from "@latchkey/core/second-factors"
import { requireFresh, signOutEverywhere } from "@latchkey/core/sessions"
import type { AcceptedSource } from "@latchkey/core/types"
import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { betterAuth } from "../src/better-auth.js"
import { reader } from "../src/reader.js"
import { day, until } from "./setup/fixtures.js"
import { openMoving, ownCookie, plant, sessionOf, storedKinds } from "./setup/moving-setup.js"
import { luciaMade, nextAuth } from "./setup/sources.js"

describe("MIG-08: forged cookies", () => {
  it("ask the store for nothing before their signature", async () => {
    using _ = fixedClock(day)
    const { host, adapter } = await openMoving("database", { accept: [nextAuth.source()], userId: nextAuth.userId })
    const before = adapter.calls.length
    for (let n = 0; n < 50; n++) await sessionOf(host, `${nextAuth.header.slice(0, -6)}${100_000 + n}`)
    expect(adapter.calls.slice(before)).toEqual([])
  })

  it("of one network are refused after the budget, and others are not affected", async () => {
    using _ = fixedClock(day)
    const read: string[] = []
    const find = (id: string) => {
      read.push(id)
      return luciaMade.find(id)
    }
    const accept = [luciaMade.source({ find })]
    const budgets = { moves: { limit: 20, windowSeconds: 60 } }
    const { host } = await openMoving("jwt", { accept, userId: luciaMade.userId, rateLimit: { budgets } })
    const flood = host.newBrowser({ clientAddress: "192.0.2.1" })
    const statuses: number[] = []
    for (let n = 0; n < 30; n++) {
      flood.cookies.set("auth_session", `a-forged-session-of-lucia-${n}`, { path: "/" })
      statuses.push((await flood.fetch("/auth/session")).status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    expect(read).toHaveLength(20)
    const other = plant(host.newBrowser({ clientAddress: "198.51.100.1" }), luciaMade.cookies)
    expect((await other.session())?.user?.email).toBe("ada@example.com")
    const signedIn = host.newBrowser({ clientAddress: "192.0.2.1" })
    await signedIn.signIn("cred", { name: "ada" })
    expect((await signedIn.session())?.user?.email).toBe("ada@example.com")
  })

  it("that are sent again and again count once, and sessions do not count", async () => {
    using _ = fixedClock(day)
    const accept = [nextAuth.source()]
    const budgets = { moves: { limit: 2, windowSeconds: 60 } }
    const { host } = await openMoving("none", { accept, rateLimit: { budgets } })
    const browser = plant(host.newBrowser({ clientAddress: "192.0.2.1" }), [
      { name: "next-auth.session-token", value: `${nextAuth.header.slice(24, -4)}AAAA` },
    ])
    for (let n = 0; n < 9; n++) expect((await browser.fetch("/auth/session")).status).toBe(200)
    for (let n = 0; n < 9; n++) {
      const office = plant(host.newBrowser({ clientAddress: "192.0.2.1" }), nextAuth.cookies)
      expect((await office.session())?.user?.email).toBe("ada@example.com")
    }
  })
})

describe("MIG-12: parallel first requests", () => {
  it.each(storedKinds)("of two processes lead to one session, one record and one row (%s)", async (kind) => {
    using _ = fixedClock(day)
    const adapter = memoryAdapter()
    const options = {
      accept: [nextAuth.source()],
      userId: nextAuth.userId,
      adapter,
      secret: "the secret that both processes have, 0123456789",
    }
    const processes = [await openMoving(kind, options), await openMoving(kind, options)]
    const answers = await Promise.all(
      [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
        .flatMap((n) => processes[n] ?? [])
        .map(({ host }) => sessionOf(host, nextAuth.header)),
    )
    expect(answers.map(({ email }) => email)).toEqual(answers.map(() => "ada@example.com"))
    const records = processes.flatMap(({ host }) => host.logger.records)
    expect(records.filter((record) => record.kind === "session-moved")).toHaveLength(1)
    const rows = adapter.calls.filter(({ method }) => method === "createSession" || method === "createSessionDetail")
    expect(rows).toHaveLength(kind === "jwt" ? 0 : 1)
    const tokens = new Set(answers.map(({ set }) => ownCookie(set)))
    if (kind.endsWith("database")) expect(tokens.size).toBe(1)
    if (kind.startsWith("tracked")) expect(await adapter.listSessionsByUserId(nextAuth.userId)).toHaveLength(1)
  })
})

describe("MIG-12: a second request while the session of the first is being stored", () => {
  const listed = storedKinds.filter((kind) => kind !== "jwt")

  it.each(listed)("gets that session (%s)", async (kind) => {
    using _ = fixedClock(day)
    const memory = memoryAdapter()
    const { promise: stored, resolve: store } = Promise.withResolvers<void>()
    let waiting = 0
    const later =
      <Given extends readonly unknown[], Result>(method: (...given: Given) => Awaitable<Result>) =>
      async (...given: Given): Promise<Result> => {
        waiting++
        await stored
        return method(...given)
      }
    const { createSession, createSessionDetail } = memory
    const adapter = {
      ...memory,
      createSession: later(createSession),
      createSessionDetail: later(createSessionDetail),
    }
    const { host } = await openMoving(kind, { accept: [nextAuth.source()], userId: nextAuth.userId, adapter })
    const first = sessionOf(host, nextAuth.header)
    await expect.poll(() => waiting).toBe(1)
    const asked = adapter.calls.length
    const second = sessionOf(host, nextAuth.header)
    // Until it has seen that the session was taken over.
    await Promise.race([second, expect.poll(() => adapter.calls.length - asked).toBeGreaterThanOrEqual(4)])
    store()
    expect([(await first).email, (await second).email]).toEqual(["ada@example.com", "ada@example.com"])
  })
})

describe("MIG-12: a first request that its platform canceled", () => {
  it.each(storedKinds)("does not keep the next one waiting (%s)", async (kind) => {
    using _ = fixedClock(day)
    const memory = memoryAdapter()
    let calls = 0
    const canceled = new Promise<never>(() => {})
    const consumeOnce: typeof memory.consumeOnce = (...given) =>
      ++calls === 1 ? canceled : memory.consumeOnce(...given)
    const { host } = await openMoving(kind, {
      accept: [nextAuth.source()],
      userId: nextAuth.userId,
      adapter: { ...memory, consumeOnce },
    })
    void sessionOf(host, nextAuth.header)
    await expect.poll(() => calls).toBe(1)
    expect((await sessionOf(host, nextAuth.header)).email).toBe("ada@example.com")
  })
})

describe.each(["jwt", "database"] as const)(
  "MIG-09: a user with a second factor, sessions of strategy %s",
  (strategy) => {
    const factor = {
      id: "f",
      kind: "totp",
      secret: "sealed",
      label: null,
      lastStep: null,
      version: 0,
      lastUsedAt: null,
    }

    async function open(accept: readonly AcceptedSource[] = [nextAuth.source()]) {
      const adapter = memoryAdapter()
      const moving = await openMoving(strategy, {
        accept,
        userId: nextAuth.userId,
        adapter,
        secondFactors: secondFactors({ factors: [totp()] }),
      })
      await adapter.createFactor({ ...factor, userId: nextAuth.userId, createdAt: new Date() })
      return moving
    }

    it.each([false, true])("is not signed in unless the source proves it (keepsFactors: %s)", async (keepsFactors) => {
      using _ = fixedClock(day)
      const { host } = await open([nextAuth.source({ keepsFactors })])
      const browser = plant(host.newBrowser(), nextAuth.cookies)
      expect(await browser.session()).toBeNull()
      expect(browser.cookies.names()).toEqual(["next-auth.session-token"])
    })

    it("is asked for it on the sign-in page, and nowhere else", async () => {
      using _ = fixedClock(day)
      const { host } = await open()
      const browser = plant(host.newBrowser(), nextAuth.cookies)
      expect((await browser.open("/auth/signout")).url.pathname).toBe("/auth/signout")
      const page = await browser.open("/auth/signin")
      expect(page.url.pathname).toBe("/auth/second-factor")
      expect(await browser.session()).toBeNull()
      // Who comes back wants to sign in otherwise.
      expect((await browser.open("/auth/signin")).url.pathname).toBe("/auth/signin")
    })

    it("MIG-01: is not asked, and not signed in, after all sessions of the user ended", async () => {
      using _ = fixedClock(day)
      const { host } = await open()
      await signOutEverywhere(host.config, nextAuth.userId)
      const browser = plant(host.newBrowser(), nextAuth.cookies)
      expect((await browser.open("/auth/signin")).url.pathname).toBe("/auth/signin")
    })

    it("has no device that is remembered from before", async () => {
      using _ = fixedClock(day)
      const { host } = await open()
      const browser = plant(host.newBrowser(), [...nextAuth.cookies, { name: "better-auth.trust_device", value: "x" }])
      expect(await browser.session()).toBeNull()
    })

    it("is signed in if the source proves it and the app relies on that", async () => {
      using _ = fixedClock(day)
      const secret = "a secret of better-auth, 0123456789-abcdef"
      const token = "a-token-of-better-auth"
      const mac = createHmac("sha256", secret).update(token).digest("base64")
      const cookies = [{ name: "better-auth.session_token", value: encodeURIComponent(`${token}.${mac}`) }]
      const session = { token, userId: nextAuth.userId, expiresAt: new Date("2026-12-01"), createdAt: new Date(day) }
      const emailWith = async (keepsFactors: boolean, twoFactorEnabled: boolean) => {
        const find = () => ({ session, user: { twoFactorEnabled } })
        const { host } = await open([betterAuth({ secret, find, until, keepsFactors })])
        return (await plant(host.newBrowser(), cookies).session())?.user?.email
      }
      expect(await emailWith(true, true)).toBe("ada@example.com")
      expect(await emailWith(false, true)).toBeUndefined()
      expect(await emailWith(true, false)).toBeUndefined()
    })
  },
)

describe("MIG-14: a session that was taken over", () => {
  it.each(["tracked jwt", "tracked database"] as const)("is not fresh: `requireFresh` asks (%s)", async (kind) => {
    using _ = fixedClock(day)
    // It began a moment ago.
    const read = () => ({ subject: "user-1", startedAt: new Date(day) })
    const { host } = await openMoving(kind, { accept: [reader({ cookie: "sid", until, read })] })
    const { set } = await sessionOf(host, "sid=s-1")
    const cookie = ownCookie(set)
    expect((await sessionOf(host, cookie)).email).toBe("ada@example.com")
    const headers = { cookie, accept: "application/json" }
    const fresh = await requireFresh(new Request("https://app.test/pay", { headers }), host.config)
    expect(fresh instanceof Response && fresh.status).toBe(403)
    const page = new Request("https://app.test/pay", { headers: { cookie, accept: "text/html" } })
    const asked = await requireFresh(page, host.config)
    expect(asked instanceof Response && asked.headers.get("location")).toContain("/auth/signin?")
  })

  it("is not fresh with second factors either", async () => {
    using _ = fixedClock(day)
    const { host } = await openMoving("jwt", {
      accept: [nextAuth.source()],
      userId: nextAuth.userId,
      secondFactors: secondFactors({ factors: [totp()] }),
    })
    const browser = plant(host.newBrowser(), nextAuth.cookies)
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
    const cookie = browser.cookies
      .list()
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")
    const headers = { cookie, accept: "application/json" }
    const fresh = await requireFresh(new Request("https://app.test/pay", { headers }), host.config)
    expect(fresh instanceof Response && fresh.status).toBe(403)
  })

  it.each([...storedKinds, "none"] as const)("keeps the start of the other one for its lifetime (%s)", async (kind) => {
    using clock = fixedClock(day)
    const session = { absoluteMaxAge: 24 * 60 * 60 }
    const startedAt = new Date("2026-11-27T20:00:00Z")
    const read = () => ({ subject: "user-1", startedAt, email: "ada@example.com" })
    const { host } = await openMoving(kind, { accept: [reader({ cookie: "sid", until, read })], session })
    const { set, email } = await sessionOf(host, "sid=s-1")
    expect(email).toBe("ada@example.com")
    clock.set("2026-11-28T19:59:00Z")
    expect((await sessionOf(host, ownCookie(set))).email).toBe("ada@example.com")
    clock.set("2026-11-28T20:01:00Z")
    expect((await sessionOf(host, ownCookie(set))).email).toBeNull()
    expect((await sessionOf(host, "sid=s-1")).email).toBeNull()
  })
})
