import { type TestHost, testHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type AuthClient, createAuthClient } from "../src/index.js"
import { openPage, password, type TestPage, unreachable, validLogin } from "./page.js"

let host: TestHost
let page: TestPage
let client: AuthClient

beforeEach(() => {
  host = testHost({ providers: [password()] })
  page = openPage(host)
  client = createAuthClient()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe("requests at the same time", () => {
  /** Holds the response to the next request for the session back, unless the request is aborted before it arrives. */
  function holdSession(): { readonly arrived: Promise<void>; readonly release: () => void } {
    const { fetch } = globalThis
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isHeld = false
    vi.stubGlobal("fetch", async (address: string, init: RequestInit) => {
      if (isHeld || !address.endsWith("/auth/session")) return fetch(address, init)
      isHeld = true
      const before = host.browser.cookies.list()
      const response = await fetch(address, init)
      const late = host.browser.cookies.list()
      restore(before)
      arrived.resolve()
      init.signal?.addEventListener("abort", () => released.reject(init.signal?.reason))
      await released.promise
      restore(late)
      return response
    })
    return { arrived: arrived.promise, release: released.resolve }
  }

  function restore(cookies: ReturnType<TestHost["browser"]["cookies"]["list"]>): void {
    host.browser.cookies.clear()
    for (const { name, value } of cookies) host.browser.cookies.set(name, value)
  }

  it.each([
    ["a request for the session", () => client.getSession()],
    ["an update of the session", () => client.updateSession({})],
  ])("does not bring a session back that was signed out during %s", async (_, read) => {
    await client.signIn("credentials", validLogin)
    const { arrived, release } = holdSession()
    const reading = read()
    await arrived
    const leaving = client.signOut({ redirect: false })
    await new Promise((resolve) => setTimeout(resolve))
    release()
    await Promise.all([reading, leaving])
    expect(await host.browser.session()).toBeNull()
  })

  it("does not end a session that began while the service was asked about the former one", async () => {
    await client.signIn("credentials", validLogin)
    host.browser.cookies.set("__Secure-authjs.session-token", "of-another-secret")
    const { arrived, release } = holdSession()
    const reading = client.getSession()
    await arrived
    const signingIn = client.signIn("credentials", validLogin)
    await new Promise((resolve) => setTimeout(resolve))
    release()
    const [found] = await Promise.all([reading, signingIn])
    expect(found?.user?.name).toBe("Ada Lovelace")
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
  })

  it("goes on after a request that failed", async () => {
    page.answerWith(unreachable)
    await expect(client.getSession()).rejects.toThrow("Could not reach")
    await expect(client.updateSession({})).rejects.toThrow("Could not reach")
    page.answerWith(undefined)
    expect(await client.signIn("credentials", validLogin)).toMatchObject({ error: undefined })
  })

  /**
   * Leaves the next request to this address unanswered: the service carries it out, but the browser drops the response.
   * @returns a function that lets all requests time out that were sent so far
   */
  function leaveUnanswered(
    method: string,
    path: string,
  ): { readonly sent: Promise<void>; readonly timeOut: () => void } {
    const { fetch } = globalThis
    const sent = Promise.withResolvers<void>()
    const timers: AbortController[] = []
    let isLeft = false
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      expect(ms).toBe(30_000)
      const timer = new AbortController()
      timers.push(timer)
      return timer.signal
    })
    vi.stubGlobal("fetch", async (address: string, init: RequestInit) => {
      if (isLeft || (init.method ?? "GET") !== method || !address.endsWith(path)) return fetch(address, init)
      isLeft = true
      const before = host.browser.cookies.list()
      await fetch(address, init)
      restore(before)
      sent.resolve()
      return new Promise((_, reject) => {
        init.signal?.addEventListener("abort", () => reject(init.signal?.reason))
      })
    })
    const timeOut = () => {
      for (const timer of timers.splice(0)) timer.abort(new DOMException("signal timed out", "TimeoutError"))
    }
    return { sent: sent.promise, timeOut }
  }

  it.each([
    ["POST", "/auth/callback/credentials", () => client.signIn("credentials", validLogin)],
    ["POST", "/auth/session", () => client.updateSession({})],
    ["GET", "/auth/csrf", () => client.signIn("credentials", validLogin)],
    ["GET", "/auth/session", () => client.getSession()],
    ["GET", "/auth/providers", () => client.signIn("another", { redirect: false })],
  ])("signs out after a %s %s that gets no answer, which fails after 30 seconds", async (method, path, hang) => {
    await client.signIn("credentials", validLogin)
    const { sent, timeOut } = leaveUnanswered(method, path)
    const hanging = hang()
    const failure = expect(hanging).rejects.toMatchObject({ code: "network", cause: { name: "TimeoutError" } })
    await sent
    const waiting = [client.signOut({ redirect: false }), client.getSession()].map((one) => one.catch(() => "failed"))
    timeOut()
    await failure
    await Promise.all(waiting)
    expect(await client.signOut({ redirect: false })).toMatchObject({ error: undefined })
    expect(await host.browser.session()).toBeNull()
  })

  it("requests the session again after a form that got no answer, and keeps the one that the browser has", async () => {
    await client.signIn("credentials", validLogin)
    const { sent, timeOut } = leaveUnanswered("POST", "/auth/signout")
    const leaving = expect(client.signOut({ redirect: false })).rejects.toThrow("Could not reach the service")
    await sent
    const reading = client.getSession()
    timeOut()
    await leaving
    expect((await reading)?.user?.name).toBe("Ada Lovelace")
  })

  it("signs in with each of two forms that a new browser sends at once", async () => {
    const responses = await Promise.all([1, 2].map(() => client.signIn("credentials", validLogin)))
    expect(responses).toMatchObject([{ error: undefined }, { error: undefined }])
    expect(page.count("GET /auth/csrf")).toBe(1)
    await client.signIn("credentials", validLogin)
    expect(page.count("GET /auth/csrf")).toBe(2)
  })
})
