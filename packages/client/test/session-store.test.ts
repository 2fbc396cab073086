import type { Session } from "@latchkey/core/types"
import { type TestHost, testHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type AuthClient, createAuthClient, createSessionStore, type SessionStore } from "../src/index.js"
import { openPage, password, type TestPage, unreachable, validLogin } from "./page.js"

// The store against the real service. Another tab is another client, which receives the changes of this one.

const session: Session = { user: { name: "Ada Lovelace" }, expires: "2999-01-01T00:00:00.000Z" }
const read = "GET /auth/session"
const ends: (() => void)[] = []

let host: TestHost
let page: TestPage
let client: AuthClient
let otherTab: AuthClient

beforeEach(async () => {
  host = testHost({
    providers: [password()],
    callbacks: { jwt: ({ token, session: sent }) => (sent ? { ...token, ...sent } : token) },
  })
  page = openPage(host)
  client = createAuthClient()
  otherTab = createAuthClient()
})
afterEach(() => {
  for (const end of ends.splice(0)) end()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const subscribe = (store: SessionStore, listener = (): void => undefined): (() => void) => {
  const end = store.subscribe(listener)
  ends.push(end)
  return end
}

/** A store with a subscriber, after its first response. */
async function settled(options: Parameters<typeof createSessionStore>[0] = {}): Promise<SessionStore> {
  const store = createSessionStore({ client, ...options })
  subscribe(store)
  await vi.waitFor(() => expect(store.getState().status).not.toBe("loading"))
  page.requests.length = 0
  return store
}

const signedIn = async (options: Parameters<typeof createSessionStore>[0] = {}): Promise<SessionStore> => {
  await client.signIn("credentials", validLogin)
  const store = await settled(options)
  expect(store.getState().status).toBe("authenticated")
  return store
}

/** Lets pending work send its requests. */
const turn = () => new Promise((resolve) => setTimeout(resolve))
const statusOf = (store: SessionStore) => store.getState().status
const nameIn = (store: SessionStore) => store.getState().data?.user?.name
const lookAway = (): void => {
  page.show(false)
  page.show(true)
}

describe("a failed request", () => {
  it.each([
    ["a captive portal's page", () => new Response("<h1>Sign in to the network</h1>")],
    ["an array", () => Response.json([])],
    ["401 Unauthorized", () => Response.json({ message: "Unauthorized" }, { status: 401 })],
    ["404 Not Found", () => new Response(null, { status: 404 })],
  ])("ends the session if the response is %s", async (_, answer) => {
    const store = await signedIn()
    page.answerWith(answer)
    await expect(store.refresh()).rejects.toThrow("Unexpected response")
    expect(store.getState()).toEqual({ status: "unauthenticated", data: null, error: expect.any(Error) })
  })

  it("ends a session that has expired", async () => {
    const store = createSessionStore({ client, session: { ...session, expires: "2001-01-01T00:00:00.000Z" } })
    page.answerWith(unreachable)
    await expect(store.refresh()).rejects.toThrow("Could not reach")
    expect(statusOf(store)).toBe("unauthenticated")
  })

  it.each([
    ["the service is unreachable", unreachable],
    ["a proxy responds with 502 Bad Gateway", () => new Response("Bad gateway", { status: 502 })],
    [
      "the service responds with 429 Too Many Requests",
      () => Response.json({ message: "Too many requests" }, { status: 429 }),
    ],
    ["the service cannot read the session", () => Response.json(null, { headers: { "latchkey-session": "unknown" } })],
  ])("keeps the session and sets error when %s", async (_, answer) => {
    const store = await signedIn()
    page.answerWith(answer)
    await expect(store.refresh()).rejects.toThrow()
    expect(store.getState()).toMatchObject({ status: "authenticated", error: expect.any(Error) })
    page.answerWith(undefined)
    await store.refresh()
    expect(store.getState()).toMatchObject({ status: "authenticated", error: undefined })
  })

  it("stays loading and retries until the service responds, if it was the first request", async () => {
    vi.useFakeTimers()
    await client.signIn("credentials", validLogin)
    page.answerWith(unreachable)
    const store = createSessionStore({ client })
    subscribe(store)
    await vi.advanceTimersByTimeAsync(0)
    expect(store.getState()).toEqual({ status: "loading", data: null, error: expect.any(Error) })
    await vi.advanceTimersByTimeAsync(2000 + 4000 + 8000)
    expect(page.count(read)).toBe(4)
    page.answerWith(undefined)
    await vi.advanceTimersByTimeAsync(16_000)
    expect(store.getState()).toMatchObject({ status: "authenticated", error: undefined })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(page.count(read)).toBe(5)
  })

  it("is retried when the browser is online again", async () => {
    const store = await signedIn()
    page.fire("window", new Event("online"))
    await turn()
    expect(page.count(read)).toBe(0)
    page.answerWith(unreachable)
    await expect(store.refresh()).rejects.toThrow()
    page.answerWith(undefined)
    page.fire("window", new Event("online"))
    await vi.waitFor(() => expect(store.getState().error).toBeUndefined())
    expect(page.count(read)).toBe(2)
  })
})

describe("requests", () => {
  it("requests start with the first subscriber and are shared by all", async () => {
    const store = createSessionStore({ client })
    const changes = vi.fn()
    await turn()
    expect(page.requests).toEqual([])
    for (let count = 0; count < 3; count++) subscribe(store, changes)
    await vi.waitFor(() => expect(statusOf(store)).toBe("unauthenticated"))
    expect([page.requests, changes.mock.calls.length]).toEqual([[read], 3])
  })

  it.each([[session], [null]])("requests are not sent if a server has read the session: %j", async (given) => {
    const store = await settled({ session: given })
    await turn()
    expect([store.getState().data, page.requests]).toEqual([given, []])
  })

  it("requests run one at a time", async () => {
    await client.signIn("credentials", validLogin)
    const underWay = { now: 0, most: 0 }
    const honest = fetch
    vi.stubGlobal("fetch", async (...args: Parameters<typeof fetch>) => {
      underWay.now += 1
      underWay.most = Math.max(underWay.most, underWay.now)
      await new Promise((resolve) => setTimeout(resolve, 1))
      return honest(...args).finally(() => {
        underWay.now -= 1
      })
    })
    const store = createSessionStore({ client })
    subscribe(store)
    const jobs = [store.refresh(), store.update({ name: "Countess Ada" }), store.refresh(), store.refresh()]
    lookAway()
    await Promise.all(jobs)
    await store.refresh()
    expect([underWay.most, nameIn(store)]).toEqual([1, "Countess Ada"])
  })

  it("a late response does not overwrite a session learned in the meantime", async () => {
    const store = await signedIn()
    const late = Promise.withResolvers<Response>()
    page.answerWith(() => late.promise)
    const request = store.refresh()
    await vi.waitFor(() => expect(page.count(read)).toBe(1))
    page.answerWith(undefined)
    await client.signOut({ redirect: false })
    late.resolve(Response.json(session))
    expect(await request).toBeNull()
    expect(statusOf(store)).toBe("unauthenticated")
  })

  it("an unchanged session does not notify subscribers", async () => {
    const store = await settled()
    const changes = vi.fn()
    subscribe(store, changes)
    const before = store.getState()
    await store.refresh()
    expect([store.getState() === before, changes.mock.calls.length, page.count(read)]).toEqual([true, 0, 1])
  })

  it("requests stop with the last subscriber and resume with the next", async () => {
    vi.useFakeTimers()
    const store = createSessionStore({ client, session, refetchInterval: 60 })
    const first = subscribe(store)
    const second = subscribe(store)
    first()
    first()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(page.count(read)).toBe(1)
    second()
    await otherTab.signIn("credentials", validLogin)
    lookAway()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(page.count(read)).toBe(1)
    subscribe(store)
    await vi.advanceTimersByTimeAsync(0)
    expect([page.count(read), statusOf(store)]).toEqual([2, "authenticated"])
  })
})

describe("returning to the page", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  const comeBack = async (seconds: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    lookAway()
    await vi.advanceTimersByTimeAsync(0)
  }

  it("sends no request if the session is younger than five seconds", async () => {
    await signedIn()
    await comeBack(4)
    expect(page.requests).toEqual([])
  })

  it("requests the session once", async () => {
    const store = await signedIn()
    host.browser.cookies.clear()
    await comeBack(5)
    expect([page.requests, statusOf(store)]).toEqual([[read], "unauthenticated"])
  })

  it("requests the session after the clock was set back", async () => {
    const store = await signedIn()
    host.browser.cookies.clear()
    vi.setSystemTime(Date.now() - 3_600_000)
    await comeBack(5)
    expect([page.requests, statusOf(store)]).toEqual([[read], "unauthenticated"])
  })

  it("sends no request while refetchOnWindowFocus is false", async () => {
    const store = await signedIn({ refetchOnWindowFocus: false })
    await comeBack(60)
    expect(page.requests).toEqual([])
    store.configure({ refetchOnWindowFocus: true })
    await comeBack(60)
    expect(page.requests).toEqual([read])
  })

  it("requests the session when the page is restored from the back/forward cache", async () => {
    const store = await signedIn({ refetchOnWindowFocus: false })
    await client.signOut()
    expect(statusOf(store)).toBe("authenticated")
    page.fire("window", Object.assign(new Event("pageshow"), { persisted: false }))
    page.fire("window", Object.assign(new Event("pageshow"), { persisted: true }))
    await vi.advanceTimersByTimeAsync(0)
    expect([page.count(read), statusOf(store)]).toEqual([1, "unauthenticated"])
  })
})

describe("refetchInterval", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  it("requests the session while someone is signed in", async () => {
    await signedIn({ refetchInterval: 60 })
    await vi.advanceTimersByTimeAsync(120_000)
    expect(page.count(read)).toBe(2)
    host.browser.cookies.clear()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(page.count(read)).toBe(3)
  })

  it.each([
    [true, 2],
    [false, 0],
  ])("with refetchWhenOffline %s sends %d requests while offline", async (refetchWhenOffline, count) => {
    await signedIn({ refetchInterval: 60, refetchWhenOffline })
    vi.stubGlobal("navigator", { onLine: false })
    await vi.advanceTimersByTimeAsync(120_000)
    expect(page.count(read)).toBe(count)
  })

  it.each([Number.POSITIVE_INFINITY, 30 * 86_400])(
    "does not request it at once with %j seconds",
    async (refetchInterval) => {
      await signedIn({ refetchInterval })
      await vi.advanceTimersByTimeAsync(60_000)
      expect(page.count(read)).toBe(0)
    },
  )

  it("configure changes refetchInterval", async () => {
    const store = await signedIn({ refetchInterval: 60 })
    store.configure({ refetchInterval: 0 })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(page.requests).toEqual([])
    store.configure({ refetchInterval: 30 })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(page.count(read)).toBe(2)
  })
})

describe("changes in this tab", () => {
  it("sign-out ends the session without another request", async () => {
    const store = await signedIn()
    await client.signOut({ redirect: false })
    await turn()
    expect([statusOf(store), page.count(read)]).toEqual(["unauthenticated", 0])
  })

  it("a rejected sign-out keeps the session", async () => {
    const store = await signedIn()
    await client.signOut({ redirect: false, csrfToken: "forged" })
    await turn()
    expect([statusOf(store), page.count(read)]).toEqual(["authenticated", 0])
  })

  it("sign-in requests the session once", async () => {
    const store = await settled()
    await client.signIn("credentials", validLogin)
    await vi.waitFor(() => expect(statusOf(store)).toBe("authenticated"))
    expect(page.count(read)).toBe(1)
  })

  it("a wrong password or a redirect sends no request", async () => {
    const store = await settled()
    await client.signIn("credentials", { ...validLogin, password: "wrong" })
    await client.signIn("credentials", { ...validLogin, redirect: true })
    await turn()
    expect([statusOf(store), page.count(read)]).toEqual(["unauthenticated", 0])
  })

  it("updates by the store or the client appear at once", async () => {
    const store = await signedIn()
    expect((await store.update({ name: "Countess Ada" }))?.user?.name).toBe("Countess Ada")
    expect(nameIn(store)).toBe("Countess Ada")
    await client.updateSession({ name: "Augusta" })
    await turn()
    expect([nameIn(store), page.count(read), page.count("POST /auth/session")]).toEqual(["Augusta", 0, 2])
  })

  it("a failed update keeps the session", async () => {
    const store = await signedIn()
    page.answerWith(unreachable)
    await expect(store.update({ name: "Countess Ada" })).rejects.toThrow("Could not reach")
    expect(store.getState()).toMatchObject({ status: "authenticated", error: undefined })
  })

  it("learn replaces the session but not the initial state", async () => {
    const store = await settled({ session: null })
    store.learn(session)
    expect([nameIn(store), store.getInitialState().status]).toEqual(["Ada Lovelace", "unauthenticated"])
  })
})

describe("changes in another tab", () => {
  it("sign-in, update and sign-out there request the session here", async () => {
    const store = await settled()
    await otherTab.signIn("credentials", validLogin)
    await vi.waitFor(() => expect(nameIn(store)).toBe("Ada Lovelace"))
    await otherTab.updateSession({ name: "Countess Ada" })
    await vi.waitFor(() => expect(nameIn(store)).toBe("Countess Ada"))
    await otherTab.signOut()
    await vi.waitFor(() => expect(statusOf(store)).toBe("unauthenticated"))
    expect(page.count(read)).toBe(3)
  })

  it("a hidden page requests the session once it is visible", async () => {
    const store = await signedIn({ refetchOnWindowFocus: false })
    page.show(false)
    const received = new Promise<void>((resolve) => ends.push(client.onSessionChange(() => resolve())))
    await otherTab.signOut()
    await received
    await turn()
    expect([statusOf(store), page.count(read)]).toEqual(["authenticated", 0])
    page.show(true)
    await vi.waitFor(() => expect(statusOf(store)).toBe("unauthenticated"))
    expect(page.count(read)).toBe(1)
  })

  it("a client of another service is not notified", async () => {
    const elsewhere = createAuthClient({ basePath: "/other/auth" })
    const listener = vi.fn()
    ends.push(elsewhere.onSessionChange(listener))
    const store = await settled()
    await otherTab.signIn("credentials", validLogin)
    await vi.waitFor(() => expect(statusOf(store)).toBe("authenticated"))
    expect(listener).not.toHaveBeenCalled()
  })

  it("without BroadcastChannel, only changes in this tab are received", async () => {
    vi.stubGlobal("BroadcastChannel", undefined)
    const store = await settled()
    await client.signIn("credentials", validLogin)
    await vi.waitFor(() => expect(statusOf(store)).toBe("authenticated"))
  })
})

describe("without a page", () => {
  it("renders on a server without requests or listeners", () => {
    vi.unstubAllGlobals()
    const store = createSessionStore({ session })
    expect(store.getInitialState()).toEqual({ status: "authenticated", data: session, error: undefined })
    subscribe(store)()
    expect(createSessionStore().getState().status).toBe("loading")
  })
})
