import type { Session } from "@latchkey/core/types"
import { type TestHost, testHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type AuthClient, createAuthClient, createSessionStore, type SessionStore } from "../src/index.js"
import { openPage, password, right, type TestPage, unreachable } from "./page.js"

// The store against the service itself. Another tab is another client, which hears of this one as a tab does.

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

const watch = (store: SessionStore, listener = (): void => undefined): (() => void) => {
  const end = store.subscribe(listener)
  ends.push(end)
  return end
}

/** A store that somebody watches, and that has heard what there is to hear. */
async function settled(options: Parameters<typeof createSessionStore>[0] = {}): Promise<SessionStore> {
  const store = createSessionStore({ client, ...options })
  watch(store)
  await vi.waitFor(() => expect(store.getState().status).not.toBe("loading"))
  page.asked.length = 0
  return store
}

const signedIn = async (options: Parameters<typeof createSessionStore>[0] = {}): Promise<SessionStore> => {
  await client.signIn("credentials", right)
  const store = await settled(options)
  expect(store.getState().status).toBe("authenticated")
  return store
}

/** Lets everything that was begun ask what it would ask. */
const turn = () => new Promise((resolve) => setTimeout(resolve))
const statusOf = (store: SessionStore) => store.getState().status
const nameIn = (store: SessionStore) => store.getState().data?.user?.name
const lookAway = (): void => {
  page.show(false)
  page.show(true)
}

describe("a failed request", () => {
  it.each([
    ["a page", () => new Response("<h1>Sign in to the network</h1>")],
    ["a list", () => Response.json([])],
    ["a refusal", () => Response.json({ message: "Unauthorized" }, { status: 401 })],
    ["an unknown address", () => new Response(null, { status: 404 })],
  ])("ends a session when the answer is %s", async (_, answer) => {
    const store = await signedIn()
    page.answerWith(answer)
    await expect(store.refresh()).rejects.toThrow("The service answered")
    expect(store.getState()).toEqual({ status: "unauthenticated", data: null, error: expect.any(Error) })
  })

  it("ends a session that has expired meanwhile", async () => {
    const store = createSessionStore({ client, session: { ...session, expires: "2001-01-01T00:00:00.000Z" } })
    page.answerWith(unreachable)
    await expect(store.refresh()).rejects.toThrow("could not be reached")
    expect(statusOf(store)).toBe("unauthenticated")
  })

  it.each([
    ["nobody answers", unreachable],
    ["a proxy answers that the service is down", () => new Response("Bad gateway", { status: 502 })],
    ["the service asks to wait", () => Response.json({ message: "Too many requests" }, { status: 429 })],
  ])("keeps the last session when %s, and says so", async (_, answer) => {
    const store = await signedIn()
    page.answerWith(answer)
    await expect(store.refresh()).rejects.toThrow()
    expect(store.getState()).toMatchObject({ status: "authenticated", error: expect.any(Error) })
    page.answerWith(undefined)
    await store.refresh()
    expect(store.getState()).toMatchObject({ status: "authenticated", error: undefined })
  })

  it("signs nobody out who was not known yet: it is made again until the service answers", async () => {
    vi.useFakeTimers()
    await client.signIn("credentials", right)
    page.answerWith(unreachable)
    const store = createSessionStore({ client })
    watch(store)
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

  it("is made again when the network comes back, and only then", async () => {
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
  it("are not made before somebody watches, and once for all who do", async () => {
    const store = createSessionStore({ client })
    const changes = vi.fn()
    await turn()
    expect(page.asked).toEqual([])
    for (let count = 0; count < 3; count++) watch(store, changes)
    await vi.waitFor(() => expect(statusOf(store)).toBe("unauthenticated"))
    expect([page.asked, changes.mock.calls.length]).toEqual([[read], 3])
  })

  it.each([[session], [null]])("are not made when a server has said what the session is: %j", async (given) => {
    const store = await settled({ session: given })
    await turn()
    expect([store.getState().data, page.asked]).toEqual([given, []])
  })

  it("are never made two at a time, and wait for one another", async () => {
    await client.signIn("credentials", right)
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
    watch(store)
    const jobs = [store.refresh(), store.update({ name: "Countess Ada" }), store.refresh(), store.refresh()]
    lookAway()
    await Promise.all(jobs)
    await store.refresh()
    expect([underWay.most, nameIn(store)]).toEqual([1, "Countess Ada"])
  })

  it("that were under way do not overwrite what was learnt meanwhile", async () => {
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

  it("tell nobody when they bring nothing new", async () => {
    const store = await settled()
    const changes = vi.fn()
    watch(store, changes)
    const before = store.getState()
    await store.refresh()
    expect([store.getState() === before, changes.mock.calls.length, page.count(read)]).toEqual([true, 0, 1])
  })

  it("stop with the last who watches, and go on with the next", async () => {
    vi.useFakeTimers()
    const store = createSessionStore({ client, session, refetchInterval: 60 })
    const first = watch(store)
    const second = watch(store)
    first()
    first()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(page.count(read)).toBe(1)
    second()
    await otherTab.signIn("credentials", right)
    lookAway()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(page.count(read)).toBe(1)
    watch(store)
    await vi.advanceTimersByTimeAsync(0)
    expect([page.count(read), statusOf(store)]).toEqual([2, "authenticated"])
  })
})

describe("coming back to the page", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  const comeBack = async (seconds: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    lookAway()
    await vi.advanceTimersByTimeAsync(0)
  }

  it("asks for nothing that was heard just now", async () => {
    await signedIn()
    await comeBack(4)
    expect(page.asked).toEqual([])
  })

  it("asks once", async () => {
    const store = await signedIn()
    host.browser.cookies.clear()
    await comeBack(5)
    expect([page.asked, statusOf(store)]).toEqual([[read], "unauthenticated"])
  })

  it("asks for nothing where that is not wanted, until it is", async () => {
    const store = await signedIn({ refetchOnWindowFocus: false })
    await comeBack(60)
    expect(page.asked).toEqual([])
    store.configure({ refetchOnWindowFocus: true })
    await comeBack(60)
    expect(page.asked).toEqual([read])
  })

  it("asks for a page that the browser kept as it was, after the session was left behind", async () => {
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

  it("asks while somebody is signed in, and no longer", async () => {
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
  ])("with refetchWhenOffline %s asks %d times without a network", async (refetchWhenOffline, count) => {
    await signedIn({ refetchInterval: 60, refetchWhenOffline })
    vi.stubGlobal("navigator", { onLine: false })
    await vi.advanceTimersByTimeAsync(120_000)
    expect(page.count(read)).toBe(count)
  })

  it("can be set anew", async () => {
    const store = await signedIn({ refetchInterval: 60 })
    store.configure({ refetchInterval: 0 })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(page.asked).toEqual([])
    store.configure({ refetchInterval: 30 })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(page.count(read)).toBe(2)
  })
})

describe("what happens in this tab", () => {
  it("signs out without another request", async () => {
    const store = await signedIn()
    await client.signOut({ redirect: false })
    await turn()
    expect([statusOf(store), page.count(read)]).toEqual(["unauthenticated", 0])
  })

  it("goes on with the session when the service refuses to end it", async () => {
    const store = await signedIn()
    await client.signOut({ redirect: false, csrfToken: "forged" })
    await turn()
    expect([statusOf(store), page.count(read)]).toEqual(["authenticated", 0])
  })

  it("asks once after signing in", async () => {
    const store = await settled()
    await client.signIn("credentials", right)
    await vi.waitFor(() => expect(statusOf(store)).toBe("authenticated"))
    expect(page.count(read)).toBe(1)
  })

  it("asks for nothing after a wrong password, nor on a page that is left", async () => {
    const store = await settled()
    await client.signIn("credentials", { ...right, password: "wrong" })
    await client.signIn("credentials", { ...right, redirect: true })
    await turn()
    expect([statusOf(store), page.count(read)]).toEqual(["unauthenticated", 0])
  })

  it("shows an update at once, whoever made it", async () => {
    const store = await signedIn()
    expect((await store.update({ name: "Countess Ada" }))?.user?.name).toBe("Countess Ada")
    expect(nameIn(store)).toBe("Countess Ada")
    await client.updateSession({ name: "Augusta" })
    await turn()
    expect([nameIn(store), page.count(read), page.count("POST /auth/session")]).toEqual(["Augusta", 0, 2])
  })

  it("keeps what it knows when an update fails", async () => {
    const store = await signedIn()
    page.answerWith(unreachable)
    await expect(store.update({ name: "Countess Ada" })).rejects.toThrow("could not be reached")
    expect(store.getState()).toMatchObject({ status: "authenticated", error: undefined })
  })

  it("takes what a server said, and forgets nothing of how it began", async () => {
    const store = await settled({ session: null })
    store.learn(session)
    expect([nameIn(store), store.getInitialState().status]).toEqual(["Ada Lovelace", "unauthenticated"])
  })
})

describe("what happens in another tab", () => {
  it("is asked for when somebody signs in, updates and signs out there", async () => {
    const store = await settled()
    await otherTab.signIn("credentials", right)
    await vi.waitFor(() => expect(nameIn(store)).toBe("Ada Lovelace"))
    await otherTab.updateSession({ name: "Countess Ada" })
    await vi.waitFor(() => expect(nameIn(store)).toBe("Countess Ada"))
    await otherTab.signOut()
    await vi.waitFor(() => expect(statusOf(store)).toBe("unauthenticated"))
    expect(page.count(read)).toBe(3)
  })

  it("waits while nobody sees this one", async () => {
    const store = await signedIn({ refetchOnWindowFocus: false })
    page.show(false)
    const heard = new Promise<void>((resolve) => ends.push(client.onSessionChange(() => resolve())))
    await otherTab.signOut()
    await heard
    await turn()
    expect([statusOf(store), page.count(read)]).toEqual(["authenticated", 0])
    page.show(true)
    await vi.waitFor(() => expect(statusOf(store)).toBe("unauthenticated"))
    expect(page.count(read)).toBe(1)
  })

  it("is nobody's business at another service", async () => {
    const elsewhere = createAuthClient({ basePath: "/other/auth" })
    const heard = vi.fn()
    ends.push(elsewhere.onSessionChange(heard))
    const store = await settled()
    await otherTab.signIn("credentials", right)
    await vi.waitFor(() => expect(statusOf(store)).toBe("authenticated"))
    expect(heard).not.toHaveBeenCalled()
  })

  it("is not heard of where a browser has no channels; all else works", async () => {
    vi.stubGlobal("BroadcastChannel", undefined)
    const store = await settled()
    await client.signIn("credentials", right)
    await vi.waitFor(() => expect(statusOf(store)).toBe("authenticated"))
  })
})

describe("without a page", () => {
  it("renders on a server: nothing is asked, nothing is listened to", () => {
    vi.unstubAllGlobals()
    const store = createSessionStore({ session })
    expect(store.getInitialState()).toEqual({ status: "authenticated", data: session, error: undefined })
    watch(store)()
    expect(createSessionStore().getState().status).toBe("loading")
  })
})
