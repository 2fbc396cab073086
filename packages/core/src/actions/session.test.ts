import { memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { actionSetup, cred } from "../../test/setup/action-setup.js"
import { failureOf } from "../../test/setup/failure-of.js"

const caching = { "cache-control": "private, no-cache, no-store", expires: "0", pragma: "no-cache" }

describe("POST /session", () => {
  it("CSRF-16: rejects a request without a token before any callback", async () => {
    let calls = 0
    const { act, post, browser } = actionSetup({
      callbacks: {
        jwt: ({ token }) => {
          calls++
          return token
        },
      },
    })
    await post("/auth/callback/cred", { password: "right" })
    const before = [calls, browser.header()]
    expect((await failureOf(act("/auth/session", { json: { data: { role: "admin" } } }))).error.type).toBe(
      "MissingCSRF",
    )
    expect([calls, browser.header()]).toEqual(before)
  })

  it("passes the client's data to the callbacks, and returns the updated session", async () => {
    const { act, post, browser, context } = actionSetup({
      callbacks: { jwt: ({ token, session }) => ({ ...token, ...(session as { name?: string } | undefined) }) },
    })
    await post("/auth/callback/cred", { password: "right" })
    const { token: csrfToken } = await context.csrf.issue(browser.jar())
    const { body, headers } = await act("/auth/session", { json: { csrfToken, data: { name: "V." } } })
    expect(body).toMatchObject({ kind: "json", value: { user: { name: "V." } } })
    expect(headers).toEqual(caching)
    expect((await act("/auth/session")).body).toMatchObject({ value: { user: { name: "V." } } })
  })

  it("returns null without a session", async () => {
    expect((await actionSetup().post("/auth/session")).body).toEqual({ kind: "json", value: null })
  })
})

describe("GET /session", () => {
  it("COOK-19: returns null without a cookie, and sets none", async () => {
    const { act } = actionSetup()
    const reply = { body: { kind: "json", value: null }, cookies: [], headers: caching }
    expect(await act("/auth/session")).toEqual(reply)
    expect(await act("/auth/session?callbackUrl=/x")).toEqual(reply)
  })

  it("ignores data in the query", async () => {
    const updates: unknown[] = []
    const { act, post } = actionSetup({
      callbacks: {
        jwt: ({ token, session, trigger }) => {
          updates.push([session, trigger])
          return token
        },
      },
    })
    await post("/auth/callback/cred", { password: "right" })
    await act("/auth/session?data=x")
    expect(updates.at(-1)).toEqual([undefined, undefined])
  })
})

const cookieName = "__Secure-authjs.session-token"

describe("POST /signout", () => {
  it("CSRF-02: keeps the session without the CSRF token", async () => {
    const { act, post, events } = actionSetup()
    await post("/auth/callback/cred", { password: "right" })
    expect((await failureOf(act("/auth/signout", { form: { callbackUrl: "/" } }))).error.type).toBe("MissingCSRF")
    expect((await act("/auth/session")).body).toMatchObject({ value: { user: { name: "Vera" } } })
    expect(events.names()).not.toContain("signOut")
  })

  it("ends the session, sends signOut and redirects to the form's callback URL", async () => {
    const { act, post, browser, events } = actionSetup()
    await post("/auth/callback/cred", { password: "right" })
    expect((await post("/auth/signout", { callbackUrl: "/bye" })).redirect).toBe("https://app.test/bye")
    expect(browser.names()).not.toContain(cookieName)
    expect(events.of("signOut")).toEqual([{ token: expect.objectContaining({ sub: "vera" }) }])
    expect((await act("/auth/session")).body).toEqual({ kind: "json", value: null })
  })

  it("DBS-09: deletes a stored session", async () => {
    const adapter = memoryAdapter()
    await adapter.createUser({ id: "vera", email: "vera@corp.test", emailVerified: null })
    const { post, browser, events } = actionSetup({ adapter, providers: [cred] })
    await post("/auth/callback/cred", { password: "right" })
    const token = browser.get(cookieName) ?? ""
    await post("/auth/signout")
    expect(events.of("signOut")).toEqual([
      { session: expect.objectContaining({ userId: "vera", sessionToken: token }) },
    ])
    expect(await adapter.getSessionAndUser(token)).toBeNull()
  })

  it("redirects without a session too, and sends no event", async () => {
    const { post, events } = actionSetup()
    expect((await post("/auth/signout")).redirect).toBe("https://app.test")
    expect(events.names()).toEqual([])
  })

  it("URL-01, URL-07: never redirects to another site", async () => {
    for (const callbackUrl of ["https://evil.test/x", "blob:https://app.test/1", "//evil.test"]) {
      const { redirect = "" } = await actionSetup().post("/auth/signout", { callbackUrl })
      expect(new URL(redirect).origin).toBe("https://app.test")
    }
  })
})

describe("GET /signout", () => {
  it("shows a form with the browser's CSRF token", async () => {
    const { act, browser, context } = actionSetup()
    const { body, redirect } = await act("/auth/signout")
    const { token = "none" } = await context.csrf.issue(browser.jar())
    expect(redirect).toBeUndefined()
    expect(body?.kind === "html" && body.text).toContain(token)
  })

  it("redirects to the app's page as configured", async () => {
    const { act } = actionSetup({ pages: { signOut: "/bye?x=1" } })
    expect(await act("/auth/signout?callbackUrl=/private&error=x")).toEqual({ redirect: "/bye?x=1" })
  })
})
