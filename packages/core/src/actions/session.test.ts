import { memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { actionSetup, cred } from "../../test/action-setup.js"
import { failureOf } from "../../test/failure-of.js"

const caching = { "cache-control": "private, no-cache, no-store", expires: "0", pragma: "no-cache" }

describe("POST /session", () => {
  it("CSRF-16: refuses without a token, and calls nothing of the host", async () => {
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

  it("hands the client's data to the host, and answers the updated session", async () => {
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

  it("answers null where there is no session", async () => {
    expect((await actionSetup().post("/auth/session")).body).toEqual({ kind: "json", value: null })
  })
})

describe("GET /session", () => {
  it("COOK-19: answers null to who brings no cookie, and sets none", async () => {
    const { act } = actionSetup()
    const reply = { body: { kind: "json", value: null }, cookies: [], headers: caching }
    expect(await act("/auth/session")).toEqual(reply)
    expect(await act("/auth/session?callbackUrl=/x")).toEqual(reply)
  })

  it("takes no data from the query", async () => {
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
  it("CSRF-02: leaves the session alone when the form is not ours", async () => {
    const { act, post, events } = actionSetup()
    await post("/auth/callback/cred", { password: "right" })
    expect((await failureOf(act("/auth/signout", { form: { callbackUrl: "/" } }))).error.type).toBe("MissingCSRF")
    expect((await act("/auth/session")).body).toMatchObject({ value: { user: { name: "Vera" } } })
    expect(events.names()).not.toContain("signOut")
  })

  it("ends the session, tells it, and leads where the form says", async () => {
    const { act, post, browser, events } = actionSetup()
    await post("/auth/callback/cred", { password: "right" })
    expect((await post("/auth/signout", { callbackUrl: "/bye" })).redirect).toBe("https://app.test/bye")
    expect(browser.names()).not.toContain(cookieName)
    expect(events.of("signOut")).toEqual([{ token: expect.objectContaining({ sub: "vera" }) }])
    expect((await act("/auth/session")).body).toEqual({ kind: "json", value: null })
  })

  it("DBS-09: removes a stored session", async () => {
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

  it("leads on without a session too, and tells nothing", async () => {
    const { post, events } = actionSetup()
    expect((await post("/auth/signout")).redirect).toBe("https://app.test")
    expect(events.names()).toEqual([])
  })

  it("URL-01, URL-07: leads to no other site", async () => {
    for (const callbackUrl of ["https://evil.test/x", "blob:https://app.test/1", "//evil.test"]) {
      const { redirect = "" } = await actionSetup().post("/auth/signout", { callbackUrl })
      expect(new URL(redirect).origin).toBe("https://app.test")
    }
  })
})

describe("GET /signout", () => {
  it("asks first, by a form with the token of this browser", async () => {
    const { act, browser, context } = actionSetup()
    const { body, redirect } = await act("/auth/signout")
    const { token = "none" } = await context.csrf.issue(browser.jar())
    expect(redirect).toBeUndefined()
    expect(body?.kind === "html" && body.text).toContain(token)
  })

  it("leads to the host's page, as configured", async () => {
    const { act } = actionSetup({ pages: { signOut: "/bye?x=1" } })
    expect(await act("/auth/signout?callbackUrl=/private&error=x")).toEqual({ redirect: "/bye?x=1" })
  })
})
