import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { lucia } from "../src/lucia.js"
import { nextAuthV4 } from "../src/next-auth-v4.js"
import { day, type FixtureCookie, readFixture, toHeader, until } from "./setup/fixtures.js"
import { made } from "./setup/made-sessions.js"
import { kinds, openMoving, ownCookie, plant, sessionOf, storedKinds } from "./setup/moving-setup.js"

const v4 = readFixture<{
  readonly secret: string
  readonly stateless: { readonly cookies: readonly FixtureCookie[] }
  readonly chunked: { readonly cookies: readonly FixtureCookie[] }
  readonly database: {
    readonly cookies: readonly FixtureCookie[]
    readonly rows: { readonly sessions: readonly { sessionToken: string; userId: string; expires: string }[] }
  }
}>("next-auth@4.24.15")

const luciaMade = readFixture<{
  readonly cookies: readonly FixtureCookie[]
  readonly hashedTokens: { readonly cookies: readonly FixtureCookie[] }
  readonly rows: { readonly session: readonly { id: string; expires_at: number; user_id: string }[] }
}>("lucia@3.2.2")

const find = (id: string) => {
  const row = luciaMade.rows.session.find((each) => each.id === id)
  return row ? { id: row.id, userId: row.user_id, expiresAt: row.expires_at } : null
}

const luciaUser = "eadvts7otoabvtui"

describe.each(kinds)("a session of next-auth 4, with our sessions of kind %s", (kind) => {
  it("goes on at the first request, and its cookie is replaced by ours", async () => {
    using _ = fixedClock(day)
    const accept = [nextAuthV4({ secret: v4.secret, until, owner: "id" })]
    const { host } = await openMoving(kind, { accept, userId: "idp|ada" })
    const { email, set } = await sessionOf(host, toHeader(v4.stateless.cookies))
    expect(email).toBe("ada@example.com")
    expect(set.some((line) => line.startsWith("next-auth.session-token=; Max-Age=0; Path=/"))).toBe(true)
    expect((await sessionOf(host, ownCookie(set))).email).toBe("ada@example.com")
  })

  it("is put together from its parts, which are all cleared", async () => {
    using _ = fixedClock(day)
    const accept = [nextAuthV4({ secret: [`${"other-".repeat(6)}secret`, v4.secret], until })]
    const { host } = await openMoving(kind, { accept, userId: "idp|ada" })
    const browser = plant(host.newBrowser(), v4.chunked.cookies)
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
    expect(browser.cookies.names().filter((name) => name.startsWith("next-auth"))).toEqual([])
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
  })

  it("is recorded once, and `signIn` is neither asked nor told", async () => {
    using _ = fixedClock(day)
    const asked: string[] = []
    const accept = [nextAuthV4({ secret: v4.secret, until })]
    const callbacks = {
      signIn: () => {
        asked.push("signIn")
        return true
      },
    }
    const { host } = await openMoving(kind, { accept, userId: "idp|ada", callbacks })
    const header = toHeader(v4.stateless.cookies)
    for (let n = 0; n < 3; n++) expect((await sessionOf(host, header)).email).toBe("ada@example.com")
    expect(asked).toEqual([])
    expect(host.events.of("signIn")).toEqual([])
    expect(host.logger.records.map((record) => record.kind)).toEqual(["session-moved"])
  })
})

describe("a stateless session of next-auth 4", () => {
  it("continues with its own claims, as version 4 called the callback at each read", async () => {
    using _ = fixedClock(day)
    const seen: unknown[] = []
    const { host } = await openMoving("none", {
      accept: [nextAuthV4({ secret: v4.secret, until })],
      callbacks: {
        jwt(params) {
          seen.push({ ...params, token: { ...params.token } })
          const { mov: _, ...token } = params.token
          return { ...token, role: "admin" }
        },
      },
    })
    const { set } = await sessionOf(host, toHeader(v4.stateless.cookies))
    expect(seen[0]).toEqual({
      token: expect.objectContaining({ sub: "idp|ada", email: "ada@example.com", jti: expect.any(String) }),
    })
    await sessionOf(host, ownCookie(set))
    expect(seen.at(-1)).toEqual({ token: expect.objectContaining({ role: "admin", mov: expect.any(String) }) })
  })
})

describe.each(storedKinds)("a stored session, with our sessions of kind %s", (kind) => {
  it("of next-auth 4 is found by the adapter that has it, and ends there with the sign-out here", async () => {
    using _ = fixedClock(day)
    const ended: string[] = []
    const row = v4.database.rows.sessions[0]
    const adapter = {
      getSessionAndUser: async (token: string) =>
        row && token === row.sessionToken
          ? { session: { ...row, expires: new Date(row.expires) }, user: { id: row.userId } }
          : null,
      deleteSession: async (token: string) => void ended.push(token),
    }
    const { host } = await openMoving(kind, { accept: [nextAuthV4({ adapter, until })] })
    const browser = plant(host.newBrowser(), v4.database.cookies)
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
    expect(ended).toEqual([])
    await browser.signOut()
    expect(ended).toEqual([row?.sessionToken])
    expect(browser.cookies.names().filter((name) => name.includes("moved"))).toEqual([])
  })

  it("of next-auth 4 is found by no hash that `hashSessionTokens` has stored in the same table", async () => {
    using _ = fixedClock(day)
    const row = v4.database.rows.sessions[0]
    const getSessionAndUser = async (sessionToken: string) =>
      row ? { session: { ...row, sessionToken, expires: new Date(row.expires) }, user: { id: row.userId } } : null
    const { host } = await openMoving(kind, { accept: [nextAuthV4({ adapter: { getSessionAndUser }, until })] })
    const userFor = async (value: string) => {
      const cookies = v4.database.cookies.map((cookie) => ({ ...cookie, value }))
      return (await plant(host.newBrowser(), cookies).session())?.user?.email
    }
    expect([await userFor("a-token-of-next-auth"), await userFor(`sha256:${"0".repeat(64)}`)]).toEqual([
      "ada@example.com",
      undefined,
    ])
  })

  it.each([false, true])("of Lucia is found by its id (hashed: %s)", async (hashed) => {
    using _ = fixedClock(day)
    const { host } = await openMoving(kind, { accept: [lucia({ find, hashed, until })], userId: luciaUser })
    const cookies = hashed ? luciaMade.hashedTokens.cookies : luciaMade.cookies
    const browser = plant(host.newBrowser(), cookies)
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
    expect(browser.cookies.names().filter((name) => cookies.some((cookie) => cookie.name === name))).toEqual([])
  })

  it("begins with trigger signIn and no account", async () => {
    using _ = fixedClock(day)
    const seen: unknown[] = []
    const { host } = await openMoving(kind, {
      accept: [lucia({ adapter: { getSessionAndUser: async (id) => [find(id), null] }, until })],
      userId: luciaUser,
      callbacks: {
        jwt(params) {
          seen.push([params.trigger, params.account, params.user?.id])
          return params.token
        },
      },
    })
    await sessionOf(host, toHeader(luciaMade.cookies))
    expect(seen[0]).toEqual(kind.endsWith("database") ? undefined : ["signIn", null, luciaUser])
  })
})

describe("a stateless session of a hosted service", () => {
  it.each([
    ["nextjs-auth0", { sub: "idp|ada", nickname: "ada", email_verified: true }],
    ["express-openid-connect", { sub: "idp|ada", nickname: "ada", email_verified: true }],
    [
      "Supabase with ES256",
      { app_metadata: { provider: "email", providers: ["email"] }, user_metadata: { name: "Ada" } },
    ],
    ["Clerk", { sub: "user_2ada", pla: "u:free" }],
    ["authkit-nextjs", { firstName: "Ada", lastName: "Example", role: "member" }],
  ])("passes what %s told about the user as the `profile` of the `jwt` callback", async (name, profile) => {
    const { cookies, at, source, userId } = made[name] ?? expect.fail(name)
    using _ = fixedClock(at)
    const seen: unknown[] = []
    const { host } = await openMoving("none", {
      accept: [source()],
      callbacks: {
        jwt(params) {
          seen.push(params)
          return params.token
        },
      },
    })
    const { set } = await sessionOf(host, toHeader(cookies))
    await sessionOf(host, ownCookie(set))
    expect(seen[0]).toEqual({
      token: expect.objectContaining({ sub: userId }),
      user: expect.objectContaining({ id: userId }),
      account: null,
      profile: expect.objectContaining(profile),
      trigger: "signIn",
    })
    expect(seen.at(-1)).toEqual({ token: expect.objectContaining({ sub: userId }) })
  })
})
