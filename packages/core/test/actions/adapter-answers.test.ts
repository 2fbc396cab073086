import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get, post } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

describe("an adapter without getUserByAccount", () => {
  it("fails the sign-in, and creates no second user for an account", async () => {
    const { getUserByAccount: _, ...adapter } = memoryAdapter()
    const host = openHost({ adapter, session: { strategy: "jwt" } })
    const page = await host.browser.signIn("oidc")
    expect(page.url.href).toBe("https://app.test/auth/error?error=Configuration")
    expect(host.logger.errorTypes()).toEqual(["MissingAdapterMethods"])
    expect(host.logger.errors[0]?.message).toContain("adapter.getUserByAccount")
    expect(adapter.calls.map(({ method }) => method)).not.toContain("createUser")
  })
})

describe("what an adapter answers", () => {
  const answering = (expires: unknown) => {
    const adapter = memoryAdapter()
    const user = { id: "u-v", email: "v@corp.test", emailVerified: null }
    const getSessionAndUser = async (sessionToken: string) => ({
      user,
      session: { sessionToken, userId: "u-v", expires: expires as Date },
    }) // as: drivers return such values
    const host = openHost({ adapter: { ...adapter, getSessionAndUser, updateSession: async () => null } })
    host.browser.cookies.set(sessionCookie, "a".repeat(64))
    return host
  }

  it.each([new Date(Date.now() + 86_400_000).toISOString(), Date.now() + 86_400_000])(
    "ADP-11: may be a date as %o",
    async (expires) => {
      expect(await answering(expires).browser.session()).not.toBeNull()
    },
  )

  it.each([new Date("x"), "soon", null])(
    "ADP-11: an expiry that is not a date counts as expired: %o",
    async (expires) => {
      expect(await answering(expires).browser.session()).toBeNull()
    },
  )

  it("ADP-12: is not changed by a callback that writes to what it is given", async () => {
    const adapter = memoryAdapter()
    const kept = new Map<string, unknown>()
    const getSessionAndUser: typeof adapter.getSessionAndUser = async (token) => {
      const found = await adapter.getSessionAndUser(token)
      if (!kept.has(token)) kept.set(token, found)
      return kept.get(token) as typeof found // as: the map has only such values
    }
    const host = openHost({
      adapter: { ...adapter, getSessionAndUser },
      callbacks: {
        session({ session, user }) {
          const seen = user.name
          user.name = "changed"
          return { expires: "", user: { name: seen ?? null, email: session.user.email ?? null } }
        },
      },
    })
    await host.browser.signIn("oidc")
    await host.browser.session()
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
  })

  it("ADP-07: is never a row that a sign-out removed meanwhile", async () => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter, session: { updateAge: 0 } })
    await host.browser.signIn("oidc")
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    await Promise.all([host.browser.signOut(), ...Array.from({ length: 20 }, () => host.browser.newTab().session())])
    expect(await adapter.getSessionAndUser(token)).toBeNull()
  })
})

describe("an adapter that throws if the row of a session is gone", () => {
  /** As the adapter of Auth.js for Prisma. The first two calls that delete wait for each other. */
  async function openStrict() {
    const adapter = memoryAdapter()
    const user = await adapter.createUser({ id: "u-ada", name: "Ada", email: "ada@corp.test", emailVerified: null })
    const assertFound = (row: unknown) => {
      if (row) return null
      throw Object.assign(new Error("No record was found for a delete."), { code: "P2025" })
    }
    const { promise: both, resolve } = Promise.withResolvers<void>()
    let deletions = 0
    const { transaction: _, ...rest } = adapter
    const host = openHost({
      adapter: {
        ...rest,
        async deleteSession(token) {
          if (++deletions === 2) resolve()
          await both
          return assertFound(await adapter.deleteSession(token))
        },
        async updateSession(row) {
          await adapter.deleteSession(row.sessionToken)
          return assertFound(await adapter.updateSession(row))
        },
      },
      session: { strategy: "database", updateAge: 0 },
      providers: [passwordProvider({ authorize: () => user })],
    })
    const signIn = () => post(host.browser, "/auth/callback/cred", {})
    await signIn()
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    return { ...host, store: adapter, signIn, token }
  }

  const twice = <T>(send: () => Promise<T>) => Promise.all([send(), send()])

  it("signs in twice at once where the former session ends", async () => {
    const { logger, signIn } = await openStrict()
    const answers = await twice(signIn)
    expect(answers.map(({ location }) => location)).toEqual(["https://app.test", "https://app.test"])
    expect(logger.errors).toEqual([])
  })

  it("signs out twice at once, and with the cookie of a session that ended before", async () => {
    const { browser, logger, token } = await openStrict()
    await twice(() => post(browser, "/auth/signout"))
    browser.cookies.set(sessionCookie, token)
    await post(browser, "/auth/signout")
    expect([browser.cookies.get(sessionCookie), logger.errors]).toEqual([undefined, []])
  })

  it("answers null twice at once where a session has expired", async () => {
    const { browser, logger, store, token } = await openStrict()
    await store.updateSession({ sessionToken: token, expires: new Date(0) })
    for (const { text, headers } of await twice(() => get(browser, "/auth/session")))
      expect([text, headers.get("latchkey-session")]).toEqual(["null", null])
    expect(logger.errors).toEqual([])
  })

  it("answers null where a session ends while it is extended", async () => {
    const { browser, logger } = await openStrict()
    const { text, headers } = await get(browser, "/auth/session")
    expect([text, headers.get("latchkey-session"), logger.errors]).toEqual(["null", null, []])
  })
})
