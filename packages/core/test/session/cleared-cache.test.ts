import type { Browser } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { call, openArea, read, send, strategies } from "../setup/area-setup.js"
import { openLogoutHost } from "../setup/logout-setup.js"
import { get, post } from "../setup/requests.js"

const cleared = '"cache"'
const headerOf = ({ headers }: { readonly headers: Headers }) => headers.get("clear-site-data")
const ownId = async (browser: Browser): Promise<string> => {
  const { sessions } = (await read(browser, "/sessions")).json() as { sessions: { id: string }[] }
  return sessions[0]?.id ?? ""
}

describe.each(strategies)("the cache of a browser with %s sessions", (strategy) => {
  it("SESS-13: is emptied when its session ends, by a form and by a script, and not without a session", async () => {
    const { signIn, host } = await openArea({ strategy })
    const browser = await signIn()
    expect(headerOf(await get(browser, "/auth/signout"))).toBeNull()
    expect(headerOf(await post(browser, "/auth/signout", { callbackUrl: "/" }))).toBe(cleared)
    expect(headerOf(await post(browser, "/auth/signout", { callbackUrl: "/" }))).toBeNull()
    const script = await signIn()
    const headers = { "x-auth-return-redirect": "1" }
    expect(headerOf(await post(script, "/auth/signout", { callbackUrl: "/" }, { headers }))).toBe(cleared)
    expect(headerOf(await post(host.newBrowser(), "/auth/signout", { callbackUrl: "/" }))).toBeNull()
  })

  it("SESS-13: is emptied when its session is ended in the list, and not for other sessions", async () => {
    const { signIn } = await openArea({ strategy })
    const [browser, script, other] = [await signIn(), await signIn(), await signIn()]
    const otherId = await ownId(other)
    expect(headerOf(await call(browser, "sessions", { action: "end", id: otherId }))).toBeNull()
    expect(headerOf(await call(script, "sessions", { action: "end", id: await ownId(script) }))).toBe(cleared)
    expect(headerOf(await send(browser, "sessions", { action: "end-others" }))).toBeNull()
    expect(headerOf(await send(browser, "sessions", { action: "end", id: await ownId(browser) }))).toBe(cleared)
  })

  it("SESS-13: is emptied when the account is deleted, at once or later", async () => {
    for (const deleteAfterDays of [0, 14]) {
      const { signIn } = await openArea({ strategy, area: { deleteAfterDays } })
      const [browser, bob] = [await signIn(), await signIn("bob")]
      const confirm = "ada@example.com"
      expect(headerOf(await send(browser, "delete", { action: "delete", confirm: "else" }))).toBeNull()
      expect(headerOf(await send(browser, "delete", { action: "delete", confirm }))).toBe(cleared)
      expect(headerOf(await call(bob, "delete", { action: "delete", confirm: "bob@example.com" }))).toBe(cleared)
    }
  })

  it("SESS-13: is emptied on the way to the provider", async () => {
    const { host } = openLogoutHost(strategy, { logout: { atProvider: true } })
    await host.browser.signIn("oidc")
    const answer = await post(host.browser, "/auth/signout", { callbackUrl: "/" })
    expect(answer.location).toMatch(/^https:\/\/idp\.test\//)
    expect(headerOf(answer)).toBe(cleared)
  })

  it("stays over http, and with `clearCacheOnSignOut: false`", async () => {
    const off = await openArea({ strategy, clearCacheOnSignOut: false })
    expect(headerOf(await post(await off.signIn(), "/auth/signout", { callbackUrl: "/" }))).toBeNull()
    const plain = await openArea({ strategy, origin: "http://app.test" })
    expect(headerOf(await post(await plain.signIn(), "/auth/signout", { callbackUrl: "/" }))).toBeNull()
  })
})
