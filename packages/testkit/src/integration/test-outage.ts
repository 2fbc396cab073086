import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig, Awaitable, SessionOptions } from "@latchkey/core/types"
import { expect, it } from "vitest"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { createBrowser } from "../browser/browser.js"
import type { FormApp, OpenApp } from "./form-app.js"
import { integrationConfig, integrationUser } from "./server-under-test.js"
import { openApp, page, signedIn, toCookieHeader } from "./visitors.js"

/** Whose sessions are asked for with each request. */
const strategies = ["jwt", "database"] as const

interface FailingStore {
  readonly config: AuthConfig
  /** From now on, the store cannot be asked for sessions. */
  fail(): void
  recover(): void
}

/** A configuration with the suite's user, whose store fails when a test says so. */
async function openStore(strategy: (typeof strategies)[number]): Promise<FailingStore> {
  const { id, name, email } = integrationUser
  const adapter = memoryAdapter()
  await adapter.createUser({ id, name, email, emailVerified: null })
  let isDown = false
  const failing =
    <Values extends readonly unknown[], Result>(method: (...values: Values) => Awaitable<Result>) =>
    async (...values: Values): Promise<Result> => {
      if (isDown) throw new Error("connection refused")
      return method(...values)
    }
  const { getSessionAndUser, seeSession } = adapter
  const session: SessionOptions = { strategy, track: trackSessions({ checkEvery: 0, whenStoreFails: "refuse" }) }
  return {
    config: {
      ...integrationConfig(),
      basePath: "/auth",
      session,
      adapter: { ...adapter, getSessionAndUser: failing(getSessionAndUser), seeSession: failing(seeSession) },
    },
    fail() {
      isDown = true
    },
    recover() {
      isDown = false
    },
  }
}

/**
 * Registers the tests of the members of `auth` while the store fails.
 * @param options `knowsPage`: whether a page can send a status. If not, `requireAuth` throws. Default: true.
 */
export function testOutage(
  open: OpenApp,
  { knowsPage = true }: { readonly knowsPage?: boolean | undefined } = {},
): void {
  it.each(strategies)(
    "DBS-12: getSession throws while the store fails, and the user stays signed in (%s)",
    async (strategy) => {
      const store = await openStore(strategy)
      const app = await openApp(open, store.config)
      const user = app.visitor({ cookie: toCookieHeader(await signedIn(app)), accept: page })
      store.fail()
      await expect(user.getSession()).rejects.toMatchObject({ type: "SessionTokenError", status: 503 })
      expect(user.setCookies().filter((line) => line.includes("session-token"))).toEqual([])
      store.recover()
      expect((await user.getSession())?.user?.name).toBe(integrationUser.name)
    },
  )

  it.each(strategies)(
    "DBS-12: requireAuth and requireFresh ask nobody to sign in while the store fails (%s)",
    async (strategy) => {
      const store = await openStore(strategy)
      const app = await openApp(open, store.config)
      const user = app.visitor({ cookie: toCookieHeader(await signedIn(app)), accept: page })
      store.fail()
      for (const ask of [() => user.requireAuth(), () => user.requireFresh()]) {
        if (!knowsPage) {
          await expect(ask()).rejects.toMatchObject({ type: "SessionTokenError" })
          continue
        }
        const answer = await ask()
        if (!("status" in answer)) throw new Error("The visitor counted as signed in")
        expect([answer.status, answer.headers.get("location")]).toEqual([503, null])
        expect(answer.headers.get("retry-after")).toBe("5")
      }
    },
  )

  it("a cookie that does not open is no failure of the store: its visitor is signed out", async () => {
    const store = await openStore("jwt")
    const app = await openApp(open, store.config)
    store.fail()
    const forged = { cookie: "authjs.session-token=forged; __Secure-authjs.session-token=forged" }
    expect(await app.visitor(forged).getSession()).toBeNull()
    expect(await app.visitor({}).getSession()).toBeNull()
  })
}

/** Registers the tests of a guard while the store fails. */
export function testGuardOutage(open: (config: AuthConfig) => Promise<FormApp>): void {
  it.each(strategies)(
    "DBS-12: answers 503 while the store fails, to a page load and to a script (%s)",
    async (strategy) => {
      const store = await openStore(strategy)
      const { origin, handler } = await open(store.config)
      const browser = createBrowser({ origin, handler, basePath: "/auth" })
      const { username, password } = integrationUser
      await browser.signIn("credentials", { username, password })
      store.fail()
      for (const accept of [page, "application/json"]) {
        const response = await browser.fetch("/private", { headers: { accept } })
        expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"])
        expect(response.headers.getSetCookie()).toEqual([])
        expect(await response.text()).toContain("Try again later")
      }
      const session = await browser.fetch("/auth/session")
      expect([session.status, await session.text(), session.headers.getSetCookie()]).toEqual([200, "null", []])
      expect(session.headers.get("latchkey-session")).toBe("unknown")
      store.recover()
      expect((await browser.fetch("/private")).status).toBe(200)
    },
  )
}
