import { authenticatorApp, type Browser, fixedClock, type TestHost, testHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { accountOptions } from "../../../test/setup/account-options.js"
import { AccountError, getAccountStore, getFactorsStore, getSessionsStore } from "../src/account/index.js"
import { type AuthClient, createAuthClient, createSessionStore, type SessionStore } from "../src/index.js"
import { openPage, type TestPage, unreachable, validLogin } from "./page.js"

// The stores of the account against the real service.

const [sessionsPath, factorsPath] = ["/auth/account/sessions", "/auth/account/factors"]
const ends: (() => void)[] = []

let host: TestHost
let page: TestPage
let client: AuthClient
let session: SessionStore

beforeEach(() => {
  host = testHost(accountOptions())
  page = openPage(host)
  client = createAuthClient()
  session = createSessionStore({ client })
})
afterEach(() => {
  for (const end of ends.splice(0)) end()
  vi.unstubAllGlobals()
})

interface Followed {
  getState(): { readonly status: string }
  subscribe(listener: () => void): () => void
}

function subscribe(store: Followed): () => void {
  const end = store.subscribe(() => undefined)
  ends.push(end)
  return end
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 30))

async function signIn(): Promise<void> {
  await client.signIn("credentials", validLogin)
}

/** Signs in elsewhere. */
async function signInElsewhere(name = "ada"): Promise<Browser> {
  const browser = host.newBrowser()
  await browser.signIn("credentials", { username: name, password: "correct horse" })
  return browser
}

async function open<Store extends Followed>(store: Store): Promise<Store> {
  subscribe(store)
  await vi.waitFor(() => expect(store.getState().status).not.toBe("loading"))
  return store
}

describe("a store of the account", () => {
  it("requests nothing before it has a subscriber, and nothing while no one is signed in", async () => {
    const store = getSessionsStore({ session, client })
    expect(store.getState()).toEqual({ status: "loading", data: null, error: null, isPending: false })
    await settle()
    expect(page.requests).toEqual([])
    await open(store)
    await store.refresh()
    expect(store.getState().status).toBe("unauthenticated")
    expect(page.requests).toEqual(["GET /auth/session"])
  })

  it("is not loading where a server has read that no one is signed in", async () => {
    const known = createSessionStore({ client, session: null })
    const store = getSessionsStore({ session: known, client })
    const signedOut = { status: "unauthenticated", data: null, error: null, isPending: false }
    expect([store.getInitialState(), store.getState()]).toEqual([signedOut, signedOut])
    const listener = vi.fn()
    ends.push(store.subscribe(listener))
    await settle()
    expect([page.requests, listener.mock.calls, store.getState()]).toEqual([[], [], signedOut])
    const unknown = createSessionStore({ client, session: undefined })
    expect(getSessionsStore({ session: unknown, client }).getInitialState().status).toBe("loading")
  })

  it("sends one request for all subscribers, also if the first leaves and comes back at once", async () => {
    await signIn()
    const store = getSessionsStore({ session, client })
    expect(getSessionsStore({ session, client })).toBe(store)
    store.subscribe(() => undefined)()
    await Promise.all([open(store), open(store)])
    expect(store.getState()).toMatchObject({ status: "ready", data: [{ isCurrent: true, provider: "credentials" }] })
    expect(page.count(`GET ${sessionsPath}`)).toBe(1)
    subscribe(store)
    await settle()
    expect(page.count(`GET ${sessionsPath}`)).toBe(1)
  })

  it("sends a request for a new subscriber after the clock was set back", async () => {
    await signIn()
    const store = getSessionsStore({ session, client })
    const end = store.subscribe(() => undefined)
    await vi.waitFor(() => expect(store.getState().status).toBe("ready"))
    end()
    using clock = fixedClock(Date.now())
    clock.advance({ hours: -1 })
    subscribe(store)
    await vi.waitFor(() => expect(page.count(`GET ${sessionsPath}`)).toBe(2))
  })

  it("aborts its request with the last subscriber, and sends it again for the next", async () => {
    await signIn()
    await session.refresh()
    const signals: AbortSignal[] = []
    const { fetch } = globalThis
    const wait = (_: string, { signal }: RequestInit) =>
      new Promise<never>((_resolve, reject) => {
        if (!signal) return
        signals.push(signal)
        signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")))
      })
    vi.stubGlobal("fetch", wait)
    const store = getSessionsStore({ session, client })
    const [one, two] = [subscribe(store), subscribe(store)]
    await settle()
    one()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    two()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    await settle()
    expect(store.getState()).toMatchObject({ status: "loading", error: null })
    vi.stubGlobal("fetch", fetch)
    expect((await open(store)).getState().status).toBe("ready")
  })

  it("drops what it shows at a sign-out, and never shows it to the next user", async () => {
    await signIn()
    const store = await open(getAccountStore({ session, client }))
    expect(store.getState().data?.user.name).toBe("ada")
    const pairs: (readonly [string, string])[] = []
    store.subscribe(() => {
      const [user, shown] = [session.getState().data?.user?.name, store.getState().data?.user.name]
      if (shown) pairs.push([user ?? "no one", shown])
    })
    await client.signOut({ redirect: false })
    await settle()
    expect(store.getState()).toMatchObject({ status: "unauthenticated", data: null })
    await client.signIn("credentials", { ...validLogin, username: "bob" })
    await settle()
    // Another user without a sign-out in between.
    await client.signIn("credentials", validLogin)
    await settle()
    expect(store.getState().data?.user.name).toBe("ada")
    expect(new Set(pairs.map((pair) => pair.join(" sees ")))).toEqual(new Set(["bob sees bob", "ada sees ada"]))
  })

  it("keeps what it shows when the service is unreachable, and says why", async () => {
    await signIn()
    const store = await open(getSessionsStore({ session, client }))
    page.answerWith(unreachable)
    await store.refresh()
    expect(store.getState()).toMatchObject({ status: "ready", error: { code: "network" } })
    page.answerWith(undefined)
    await store.refresh()
    expect(store.getState()).toMatchObject({ status: "ready", error: null })
  })

  it.each([
    ["an app's own 404", () => new Response("not found", { status: 404 })],
    ["a captive portal's page", () => new Response("<h1>Sign in to the network</h1>")],
    ["a service without the area", () => Response.json({ error: "UnknownAction" }, { status: 400 })],
  ])("is unavailable if the response is %s", async (_, answer) => {
    await signIn()
    await session.refresh()
    page.answerWith(answer)
    const store = getSessionsStore({ session, client })
    const end = session.subscribe(() => undefined)
    subscribe(store)
    await settle()
    end()
    expect(store.getState()).toMatchObject({ status: "loading", error: { code: "unavailable" } })
  })

  it("notices that the session was ended elsewhere", async () => {
    await signIn()
    const store = await open(getSessionsStore({ session, client }))
    const other = await signInElsewhere()
    const csrfToken = await other.csrfToken()
    const body = new URLSearchParams({ csrfToken, action: "end-others" })
    expect(
      (await other.fetch(sessionsPath, { method: "POST", body, headers: { accept: "application/json" } })).status,
    ).toBe(200)
    await store.refresh()
    await settle()
    expect(store.getState()).toMatchObject({ status: "unauthenticated", data: null })
    expect(session.getState().status).toBe("unauthenticated")
  })

  it("needs a client that createAuthClient made", () => {
    const { service: _, ...foreign } = client as AuthClient & { service: unknown }
    expect(() => getFactorsStore({ session, client: foreign })).toThrow("createAuthClient")
  })
})

describe("an action", () => {
  it("ends another session, and shows the list without it", async () => {
    await signIn()
    await signInElsewhere()
    const store = await open(getSessionsStore({ session, client }))
    const other = store.getState().data?.find(({ isCurrent }) => !isCurrent)
    const ended = store.actions.end(other?.id ?? "")
    expect(store.getState().isPending).toBe(true)
    expect(await ended).toEqual({ error: null, answer: { ended: 1 } })
    expect(store.getState()).toMatchObject({ isPending: false, error: null, data: [{ isCurrent: true }] })
    expect((await store.actions.end(other?.id ?? "")).answer).toBeNull()
    expect(store.getState().error).toMatchObject({ code: "gone", status: 404 })
  })

  it("signs out by ending the session of this browser", async () => {
    await signIn()
    const store = await open(getSessionsStore({ session, client }))
    await store.actions.end(store.getState().data?.[0]?.id ?? "")
    await settle()
    expect([store.getState().status, session.getState().status]).toEqual(["unauthenticated", "unauthenticated"])
  })

  it("refreshes everything that is shown, and nothing else", async () => {
    await signIn()
    await signInElsewhere()
    const [account, sessions] = [getAccountStore({ session, client }), getSessionsStore({ session, client })]
    getFactorsStore({ session, client })
    await Promise.all([open(account), open(sessions)])
    page.requests.length = 0
    expect(await sessions.actions.endOthers()).toEqual({ error: null, answer: { ended: 1 } })
    expect(account.getState().data?.sections.sessions?.sessions).toHaveLength(1)
    const sent = ["GET /auth/csrf", `POST ${sessionsPath}`, "GET /auth/account", `GET ${sessionsPath}`]
    expect(page.requests.toSorted()).toEqual(sent.toSorted())
  })

  it("names the page where users prove who they are, which leads back", async () => {
    using clock = fixedClock()
    await signIn()
    await signInElsewhere()
    const store = await open(getSessionsStore({ session, client }))
    clock.advance({ minutes: 11 })
    const refused = await store.actions.endOthers()
    expect(refused).toEqual({ error: store.getState().error, answer: null })
    const { error } = store.getState()
    expect(error).toBeInstanceOf(AccountError)
    expect(error).toMatchObject({ code: "confirm", status: 403, type: "FreshnessRequired" })
    const url = new URL((error as AccountError).confirmUrl ?? "")
    expect([url.origin, url.pathname]).toEqual(["https://app.test", "/auth/confirm"])
    expect(url.searchParams.get("callbackUrl")).toMatch(/^https:\/\/app\.test/)
    expect(store.getState().data).toHaveLength(2)
  })

  it("says why the service refused, and which field is wrong", async () => {
    await signIn()
    const store = await open(getAccountStore({ session, client }))
    expect((await store.actions.saveProfile({ image: "javascript:alert(1)" })).answer).toBeNull()
    expect(store.getState().error).toMatchObject({
      code: "refused",
      type: "ChangeRefused",
      reason: "image",
      field: "image",
      status: 400,
    })
    expect(await store.actions.saveProfile({ name: "Ada King" })).toMatchObject({
      error: null,
      answer: { name: "Ada King" },
    })
    expect(store.getState()).toMatchObject({ error: null, data: { sections: { profile: { name: "Ada King" } } } })
    await settle()
    expect(session.getState().data?.user?.name).toBe("Ada King")
  })

  it("is refused without a CSRF token", async () => {
    const unprotected = createAuthClient({ csrf: false })
    await signIn()
    const store = await open(getSessionsStore({ session, client: unprotected }))
    expect((await store.actions.endOthers()).answer).toBeNull()
    expect(store.getState().error).toMatchObject({ code: "refused", type: "MissingCSRF", status: 403 })
  })

  it("can be repeated when the service was unreachable", async () => {
    await signIn()
    const store = await open(getSessionsStore({ session, client }))
    page.answerWith(unreachable)
    expect((await store.actions.endOthers()).answer).toBeNull()
    expect(store.getState()).toMatchObject({ status: "ready", isPending: false, error: { code: "network" } })
    page.answerWith(undefined)
    expect(await store.actions.endOthers()).toEqual({ error: null, answer: { ended: 0 } })
  })

  it("adds an account at a provider, and returns to the page of the app", async () => {
    await signIn()
    const store = await open(getAccountStore({ session, client }))
    expect(store.getState().data?.sections.methods?.linkable).toEqual([expect.objectContaining({ provider: "oauth" })])
    await store.actions.link("oauth")
    const target = page.assign.mock.calls[0]?.[0] ?? ""
    expect(new URL(target).origin).toBe("https://idp.test")
    expect((await host.browser.open(target)).url.href).toBe("https://app.test/page")
    await store.refresh()
    const added = store.getState().data?.sections.methods?.methods.find(({ provider }) => provider === "oauth")
    expect(added).toMatchObject({ kind: "account", works: true })
    expect((await store.actions.link("unknown")).answer).toBeNull()
    expect(store.getState().error).toMatchObject({ code: "refused" })
    expect(page.assign).toHaveBeenCalledTimes(1)
  })

  it.each(["javascript:alert(1)", "data:text/html,x", "https://", 5, null])(
    "does not navigate to %o as the address of a provider",
    async (url) => {
      await signIn()
      const store = await open(getAccountStore({ session, client }))
      page.answerWith(() => Response.json({ url, csrfToken: "t" }))
      await store.actions.link("oauth")
      expect(page.assign).not.toHaveBeenCalled()
    },
  )

  it("sets up an authenticator app, and removes it", async () => {
    await signIn()
    const store = await open(getFactorsStore({ session, client }))
    expect(store.getState().data).toEqual([])
    const { answer: setup } = await store.actions.beginTotp()
    expect((await store.actions.confirmTotp({ ticket: setup?.ticket ?? "", code: "000000" })).answer).toBeNull()
    expect(store.getState().error).toMatchObject({ code: "refused", type: "SecondFactorWrong" })
    const code = await authenticatorApp(setup?.secret ?? "").code()
    const { answer: enrolled } = await store.actions.confirmTotp({ ticket: setup?.ticket ?? "", code, label: "Phone" })
    expect(enrolled?.recoveryCodes?.length).toBeGreaterThan(5)
    expect(store.getState().data?.map(({ kind }) => kind)).toEqual(["totp", "recovery"])
    expect(await store.actions.remove(enrolled?.factor.id ?? "")).toEqual({ error: null, answer: { removed: 1 } })
    expect(store.getState().data).toEqual([])
    expect(page.count(`GET ${factorsPath}`)).toBe(4)
  })

  it("deletes the account, and signs out", async () => {
    await signIn()
    const store = await open(getAccountStore({ session, client }))
    expect((await store.actions.deleteAccount("eve@example.com")).answer).toBeNull()
    expect(store.getState().error).toMatchObject({ code: "refused", field: "confirm" })
    const { confirmation = "" } = store.getState().data?.sections.delete ?? {}
    expect(await store.actions.deleteAccount(confirmation)).toEqual({ error: null, answer: { deletedAfterDays: 0 } })
    await settle()
    expect(session.getState().status).toBe("unauthenticated")
  })
})
