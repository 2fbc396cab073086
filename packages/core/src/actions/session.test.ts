import { describe, expect, it } from "vitest"
import { actionSetup } from "../../test/action-setup.js"
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
    const { act, post, browser, needs } = actionSetup({
      callbacks: { jwt: ({ token, session }) => ({ ...token, ...(session as { name?: string } | undefined) }) },
    })
    await post("/auth/callback/cred", { password: "right" })
    const { token: csrfToken } = await needs.csrf.issue(browser.jar())
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
