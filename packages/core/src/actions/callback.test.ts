import { memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { actionSetup, cred, oidc } from "../../test/setup/action-setup.js"
import { failureOf } from "../../test/setup/failure-of.js"
import { createFakeProvider } from "../../test/setup/fake-provider.js"
import { customFetch } from "../types/basics.js"

const cookieName = "__Secure-authjs.session-token"

/** A started flow, and the query of its callback. */
async function flow(host: Parameters<typeof actionSetup>[0] = {}) {
  const fake = await createFakeProvider()
  const setup = actionSetup({
    providers: [{ ...oidc, checks: ["pkce", "state", "nonce"], [customFetch]: fake.fetch }],
    ...host,
  })
  const { redirect = "" } = await setup.post("/auth/signin/oidc", { callbackUrl: "/private" })
  const { searchParams } = new URL(redirect)
  fake.answerIdToken(await fake.sign(fake.claims({ nonce: searchParams.get("nonce") })))
  const query = new URLSearchParams({ code: "c", state: searchParams.get("state") ?? "" })
  return { ...setup, fake, query, checkNames: setup.browser.names().filter((name) => /state|pkce|nonce/.test(name)) }
}

describe("/callback: rejections", () => {
  it.each([
    ["GET", "/auth/callback", {}, "No provider has the id in the path"],
    ["GET", "/auth/callback/nobody", {}, "No provider has the id"],
    ["GET", "/auth/callback/__proto__", {}, "No provider has the id"],
    ["CRED-04: GET", "/auth/callback/cred?password=right", {}, "does not accept GET"],
    ["OAU-19: POST", "/auth/callback/oidc", { form: { code: "c", state: "s" } }, "does not accept POST"],
  ])("%s %s: InvalidProvider", async (_, path, options, message) => {
    const { act, browser } = actionSetup()
    const { error } = await failureOf(act(path, options))
    expect([error.type, error.message]).toEqual(["InvalidProvider", expect.stringMatching(message)])
    expect(browser.names()).toEqual([])
  })

  it("CSRF-12: does not call authorize without the CSRF token", async () => {
    let calls = 0
    const authorize = () => {
      calls++
      return { id: "vera" }
    }
    const { act, post } = actionSetup({ providers: [{ ...cred, authorize }] })
    await failureOf(act("/auth/callback/cred", { form: { password: "right" } }))
    await failureOf(act("/auth/callback/cred", { form: { password: "right", csrfToken: "0".repeat(64) } }))
    expect(calls).toBe(0)
    await post("/auth/callback/cred")
    expect(calls).toBe(1)
  })

  it.each([
    ["the host refuses", { callbacks: { signIn: () => false } }, "AccessDenied"],
    [
      "the store fails",
      { adapter: { ...memoryAdapter(), createUser: () => Promise.reject(new Error("full")) } },
      "AdapterError",
    ],
    [
      "the session cannot be started",
      { callbacks: { jwt: () => Promise.reject(new Error("no")) } },
      "CallbackRouteError",
    ],
  ])("COOK-18: clears the check cookies when %s", async (_, host, type) => {
    const { act, query, checkNames } = await flow(host)
    const { error, cookies } = await failureOf(act(`/auth/callback/oidc?${query}`))
    expect(error.type).toBe(type)
    expect(cookies?.map(({ name, value }) => [name, value])).toEqual(checkNames.map((name) => [name, ""]))
  })
})

describe("the callback", () => {
  it("signs in, clears the check cookies and redirects to the flow's callback URL", async () => {
    const { act, query, browser, events } = await flow()
    const { redirect } = await act(`/auth/callback/oidc?${query}`)
    expect(redirect).toBe("https://app.test/private")
    expect(browser.names().filter((name) => /state|pkce|nonce/.test(name))).toEqual([])
    expect(browser.names()).toContain(cookieName)
    expect(events.names()).toEqual(["signIn"])
  })

  it("COOK-18: clears the check cookies when the signIn callback redirects", async () => {
    const { act, query, browser } = await flow({ callbacks: { signIn: () => "/invited-only" } })
    expect((await act(`/auth/callback/oidc?${query}`)).redirect).toBe("https://app.test/invited-only")
    expect(browser.names().filter((name) => /state|pkce|nonce|session/.test(name))).toEqual([])
  })

  it("signs in with a password", async () => {
    const { post, browser } = actionSetup()
    expect((await post("/auth/callback/cred", { password: "right", callbackUrl: "/x" })).redirect).toBe(
      "https://app.test/x",
    )
    expect(browser.names()).toContain(cookieName)
  })

  it("returns the reply to a prefetched email link", async () => {
    const { act } = actionSetup({
      adapter: memoryAdapter(),
      providers: [{ id: "mail", name: "Mail", type: "email", sendVerificationRequest: () => undefined }],
    })
    const headers = { "sec-purpose": "prefetch" }
    expect(await act("/auth/callback/mail?token=t&email=a@b.test", { headers })).toHaveProperty("status", 503)
  })
})
