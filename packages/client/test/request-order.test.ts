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
afterEach(() => vi.unstubAllGlobals())

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

  it("signs in with each of two forms that a new browser sends at once", async () => {
    const responses = await Promise.all([1, 2].map(() => client.signIn("credentials", validLogin)))
    expect(responses).toMatchObject([{ error: undefined }, { error: undefined }])
    expect(page.count("GET /auth/csrf")).toBe(1)
    await client.signIn("credentials", validLogin)
    expect(page.count("GET /auth/csrf")).toBe(2)
  })
})
