import { Auth } from "@latchkey/core"
import { trackSessions } from "@latchkey/core/sessions"
import type { SessionAuth } from "@latchkey/core/types"
import { type Browser, createBrowser, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { post } from "../setup/requests.js"
import { address, give, openFactors, strategies } from "../setup/second-factor-setup.js"

/** Shows `session.auth` to clients. */
const shown = { session: ({ session }: { readonly session: object }) => session } as never

async function authOf(browser: Browser): Promise<SessionAuth | undefined> {
  return ((await browser.session()) as { readonly auth?: SessionAuth } | null)?.auth
}

const forged = { time: 1, methods: ["hwk", "user"], level: 3 }

describe.each(strategies)("session.auth with %s sessions", (strategy) => {
  it("has the methods of the sign-in, their level, and when it was reached", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn } = await openFactors({ strategy, callbacks: shown })
    const { browser: owner, app } = await enroll()
    const device = softwareAuthenticator()
    await passkeyClient({ browser: owner, device }).register()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    await give(browser, await app.code())
    const time = Math.floor(Date.now() / 1000)
    expect(await authOf(browser)).toEqual({ time, methods: ["pwd", "otp"], level: 2 })
    clock.advance({ minutes: 5 })
    await post(browser, "/auth/confirm/cred?max_age=60", { name: address })
    // A password alone is no proof of two factors: the level is as old as the code.
    expect(await authOf(browser)).toEqual({ time, methods: ["pwd", "otp"], level: 2 })
    const strong = host.newBrowser()
    await passkeyClient({ browser: strong, device }).signIn()
    expect(await authOf(strong)).toMatchObject({ methods: ["swk", "user"], level: 3 })
    const plain = await openFactors({ strategy, callbacks: shown })
    expect(await authOf(await plain.signIn())).toMatchObject({ methods: ["pwd"], level: 1 })
  })

  it("FAC-08: is as old as the proof, however long the store took to start the session", async () => {
    using clock = fixedClock()
    const { host, adapter, signIn } = await openFactors({ strategy, callbacks: shown })
    const slow: typeof adapter.createSessionDetail = async (...args) => {
      const isCreated = await adapter.createSessionDetail(...args)
      clock.advance({ minutes: 30 })
      return isCreated
    }
    const config = { ...host.config, adapter: { ...adapter, createSessionDetail: slow } }
    const browser = createBrowser({ handler: (request) => Auth(request, config), origin: "https://app.test" })
    const time = Math.floor(Date.now() / 1000)
    await signIn(browser)
    expect(Date.now()).toBeGreaterThan(time * 1000 + 29 * 60_000)
    expect(await authOf(browser)).toMatchObject({ time })
  })

  it("FAC-08: is what the browser proved, whatever a callback, a claim or an update from the client sets", async () => {
    using clock = fixedClock()
    const { signIn } = await openFactors({
      strategy,
      callbacks: {
        jwt: ({ token }) => ({ ...token, auth: forged, auth_time: 1, amr: ["hwk", "user"] }),
        session: ({ session, newSession }) =>
          ({ ...session, ...(newSession as object | undefined), auth: forged }) as never,
      },
    })
    const browser = await signIn()
    const time = Math.floor(Date.now() / 1000)
    clock.advance({ minutes: 1 })
    const proved = { time, methods: ["pwd"], level: 1 }
    expect(await authOf(browser)).toEqual(proved)
    const csrfToken = await browser.csrfToken()
    const body = JSON.stringify({ csrfToken, data: { auth: forged } })
    const headers = { "content-type": "application/json" }
    const updated = await browser.fetch("/auth/session", { method: "POST", body, headers })
    expect(((await updated.json()) as { readonly auth?: SessionAuth }).auth).toEqual(proved)
    expect(await authOf(browser)).toEqual(proved)
    browser.cookies.delete("__Host-authjs.proof")
    expect([await authOf(browser), (await browser.session())?.user?.email]).toEqual([undefined, address])
  })

  it("is shown to clients only if the session callback returns it", async () => {
    const { signIn } = await openFactors({ strategy })
    expect(await (await signIn()).session()).not.toHaveProperty("auth")
  })

  it("is absent without second factors, where auth is a field of the app", async () => {
    const { adapter } = await openFactors()
    const host = openHost({
      adapter,
      session: { strategy, track: trackSessions() },
      callbacks: { session: ({ session }) => ({ ...session, had: "auth" in session, auth: "own" }) as never },
      providers: [
        {
          id: "cred",
          name: "Password",
          type: "credentials",
          credentials: { name: {} },
          authorize: ({ name }) => adapter.getUserByEmail(String(name)),
        },
      ],
    })
    const browser = host.newBrowser()
    await browser.signIn("cred", { name: address })
    expect(await browser.session()).toMatchObject({ had: false, auth: "own" })
  })
})
