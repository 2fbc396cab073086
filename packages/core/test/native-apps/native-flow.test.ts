import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  begin,
  call,
  clients,
  consent,
  desktopUri,
  exchange,
  iosUri,
  openConsent,
  openNative,
  openUntracked,
  read,
  signInApp,
  userOf,
} from "../setup/native-setup.js"
import { ask, post } from "../setup/requests.js"
import { listOf, strategies } from "../setup/tracked-setup.js"

const ada = "ada@corp.test"

describe.each(strategies)("a native app, with sessions of strategy %s", (strategy) => {
  it("is signed in by the user's browser, after the usual sign-in", async () => {
    const native = openNative(strategy)
    await native.signIn("ada")
    const browser = native.host.newBrowser()
    const flow = begin()
    const page = await browser.open(flow.path)
    expect(page.url.pathname).toBe("/auth/signin")
    const form = page.forms().find(({ names }) => names.includes("name"))
    const asked = await browser.submit(form ?? "form", { name: "ada" })
    expect(asked.find("h1")?.text).toBe("Sign in to Example for iOS?")
    expect(asked.text()).toContain(`You are signed in to app.test as ${ada}.`)
    const answer = await browser.submit("form")
    expect(`${answer.url.protocol}${answer.url.pathname}`).toBe(iosUri)
    expect(read(answer.url)).toEqual({ code: expect.any(String), state: flow.state, iss: "https://app.test/auth" })
    const exchanged = await exchange(native, flow, read(answer.url)["code"])
    expect([exchanged.status, exchanged.headers.get("cache-control"), exchanged.cookies.size]).toEqual([
      200,
      expect.stringContaining("no-store"),
      0,
    ])
    const { access_token: token, ...rest } = exchanged.json() as { access_token: string }
    expect(rest).toEqual({ token_type: "Bearer", expires_in: expect.any(Number) })
    expect(await userOf(native, token)).toBe(ada)
  })

  it.each([desktopUri, "http://[::1]:61234/callback", "https://app.example/native"])(
    "gets its code at %s",
    async (redirectUri) => {
      const native = openNative(strategy)
      const browser = await native.signIn("ada")
      const flow = begin({ client_id: "desktop", redirect_uri: redirectUri })
      expect(await userOf(native, await signInApp(native, browser, flow))).toBe(ada)
    },
  )

  it("works without records of the sessions", async () => {
    const native = openUntracked(strategy)
    const browser = await native.signIn("ada")
    const token = await signInApp(native, browser)
    expect(await userOf(native, token)).toBe(ada)
    await call(native, token, "/auth/signout", { json: {} })
    expect((await browser.session())?.user?.email).toBe(ada)
    expect(await userOf(native, token)).toBe(strategy === "jwt" ? ada : null)
  })

  it("is listed with its name, and the user can end only its session", async () => {
    const native = openNative(strategy, {}, { checkEvery: 0 })
    const browser = await native.signIn("ada")
    const token = await signInApp(native, browser)
    const [current, app, ...others] = await listOf(browser)
    expect([current?.isCurrent, app?.label, app?.device, others]).toEqual([true, "Example for iOS", "iPhone", []])
    await post(browser, "/auth/account/sessions", { action: "end", id: app?.id ?? "" })
    expect([await userOf(native, token), (await browser.session())?.user?.email]).toEqual([null, ada])
  })

  it("lists and ends sessions itself", async () => {
    const native = openNative(strategy, {}, { checkEvery: 0 })
    const browser = await native.signIn("ada")
    const token = await signInApp(native, browser)
    const { sessions } = (await call(native, token, "/auth/account/sessions")).json() as {
      sessions: readonly { label: string | null; isCurrent: boolean }[]
    }
    expect(sessions.map(({ label, isCurrent }) => [label, isCurrent])).toEqual([
      ["Example for iOS", true],
      [null, false],
    ])
    const ended = await call(native, token, "/auth/account/sessions", { json: { action: "end-others" } })
    expect([ended.status, ended.json()]).toEqual([200, { ended: 1 }])
    expect([await userOf(native, token), await browser.session()]).toEqual([ada, null])
  })

  it("signs out by its token, and the browser stays signed in", async () => {
    const native = openNative(strategy, {}, { checkEvery: 0 })
    const browser = await native.signIn("ada")
    const token = await signInApp(native, browser)
    const answer = await call(native, token, "/auth/signout", { json: { json: "true" } })
    expect([answer.status, answer.cookies.size]).toEqual([200, 0])
    expect([await userOf(native, token), (await browser.session())?.user?.email]).toEqual([null, ada])
    expect(native.host.events.names()).toContain("signOut")
  })

  it("goes on after the browser has signed out", async () => {
    const native = openNative(strategy, {}, { checkEvery: 0 })
    const browser = await native.signIn("ada")
    const token = await signInApp(native, browser)
    await browser.signOut()
    expect(await userOf(native, token)).toBe(ada)
  })

  it("ends the former session of an app that signs in again, which does not count for the user's limit", async () => {
    const native = openNative(strategy, {}, { checkEvery: 0, maxPerUser: { count: 2, over: "refuse" } })
    const browser = await native.signIn("ada")
    const former = await signInApp(native, browser)
    const flow = begin()
    const { code } = read(await consent(browser, flow))
    const { access_token: token } = (await exchange(native, flow, code, { former_token: former })).json() as {
      access_token: string
    }
    expect([await userOf(native, former), await userOf(native, token)]).toEqual([null, ada])
    expect((await listOf(browser)).map(({ label }) => label)).toEqual([null, "Example for iOS"])
  })

  it("ends no session by a token that is not its own, or before its code is accepted", async () => {
    const native = openNative(strategy, {}, { checkEvery: 0 })
    const browser = await native.signIn("ada")
    const former = await signInApp(native, browser)
    const desktop = await signInApp(native, browser, begin({ client_id: "desktop", redirect_uri: desktopUri }))
    const cookie = encodeURIComponent(browser.cookies.get("__Secure-authjs.session-token") ?? "")
    for (const foreign of [desktop, cookie, `latchkey_${cookie}`, "latchkey_\u0000", "x".repeat(20_000)]) {
      const flow = begin()
      const { code } = read(await consent(browser, flow))
      expect((await exchange(native, flow, code, { former_token: foreign })).status).toBe(200)
    }
    expect((await exchange(native, begin(), "c".repeat(43), { former_token: former })).status).toBe(400)
    expect([await userOf(native, former), await userOf(native, desktop)]).toEqual([ada, ada])
    expect((await browser.session())?.user?.email).toBe(ada)
  })

  it("gets a renewed token in a header, for as long as it asks", async () => {
    using clock = fixedClock()
    const native = openNative(strategy)
    const browser = await native.signIn("ada")
    let token = await signInApp(native, browser)
    const first = token
    for (let n = 0; n < 3; n++) {
      clock.advance({ days: 20 })
      const answer = await call(native, token)
      expect((answer.json() as { user: { email: string } }).user.email).toBe(ada)
      expect(answer.cookies.size).toBe(0)
      token = answer.headers.get("latchkey-token") ?? ""
    }
    expect([await userOf(native, token), await userOf(native, first)]).toEqual([ada, null])
  })

  it("updates the session", async () => {
    const native = openNative(strategy, {
      callbacks: { session: ({ session, newSession }) => ({ ...session, seen: newSession ?? null }) },
    })
    const browser = await native.signIn("ada")
    const token = await signInApp(native, browser)
    const answer = await call(native, token, "/auth/session", { json: { data: { theme: "dark" } } })
    expect(answer.json()).toMatchObject({ seen: { theme: "dark" } })
  })

  it("tells the app that the user does not want it", async () => {
    const native = openNative(strategy)
    const browser = await native.signIn("ada")
    const flow = begin()
    const answer = read(await consent(browser, flow, "cancel"))
    expect(answer).toEqual({ error: "access_denied", state: flow.state, iss: "https://app.test/auth" })
  })

  it("lets the user choose another account first", async () => {
    const native = openNative(strategy)
    await native.signIn("grace")
    const browser = await native.signIn("ada")
    const flow = begin()
    const page = await openConsent(browser, flow)
    await browser.click('.next-steps a[href*="/signin"]')
    const form = browser.page?.forms().find(({ names }) => names.includes("name"))
    const asked = await browser.submit(form ?? "form", { name: "grace" })
    expect([page.text().includes(ada), asked.text().includes("grace@corp.test")]).toEqual([true, true])
    const { code } = read((await browser.submit("form")).url)
    const { access_token: token } = (await exchange(native, flow, code)).json() as { access_token: string }
    expect(await userOf(native, token)).toBe("grace@corp.test")
  })
})

describe("without the feature", () => {
  it("there are no routes, and the header is not read", async () => {
    const native = openNative("jwt")
    const token = await signInApp(native, await native.signIn("ada"))
    const plain = openNative("jwt", { nativeApps: undefined as never, secret: native.host.config.secret ?? "" })
    expect([await userOf(plain, token), (await ask(plain.host, begin().path)).status]).toEqual([null, 400])
  })
})

describe("the names of the apps", () => {
  it("are escaped on the page that asks", async () => {
    const [ios] = clients
    const native = openNative("jwt", {
      nativeApps: (await import("@latchkey/core/native-apps")).nativeApps({
        clients: [{ id: "ios", redirectUris: ios?.redirectUris ?? [], name: "<b>&App" }],
      }),
    })
    const page = await openConsent(await native.signIn("ada"))
    expect(page.text()).toContain("Sign in to &lt;b>&amp;App?")
  })
})
