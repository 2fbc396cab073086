import { testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get, post } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const wanted = { headers: { "x-auth-return-redirect": "0" } }
const openFullHost = () =>
  openHost({
    providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider()],
    session: { strategy: "jwt" },
  })

describe("X-Auth-Return-Redirect", () => {
  it("turns a redirect into JSON for any value of the header, and keeps the cookies", async () => {
    const answer = await post(openFullHost().browser, "/auth/callback/cred", { u: "v", p: "right" }, wanted)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(answer.json()).toEqual({ url: "https://app.test" })
    expect(answer.location).toBeNull()
    expect(answer.cookies.has(sessionCookie)).toBe(true)
  })

  it.each([
    ["signin/oidc", {}, /^https:\/\/idp\.test\/authorize\?/],
    ["signin/email", { email: "v@corp.test" }, /\/auth\/verify-request\?provider=email&type=email$/],
    ["signin", {}, /^https:\/\/app\.test\/auth\/signin$/],
    ["signout", { callbackUrl: "/bye" }, /^https:\/\/app\.test\/bye$/],
  ])("does so for POST /%s", async (path, fields, url) => {
    const answer = await post(openFullHost().browser, `/auth/${path}`, fields, wanted)
    expect([answer.status, answer.json()]).toEqual([200, { url: expect.stringMatching(url) }])
  })

  it.each([
    ["callback/cred", "https://app.test/auth/signin?error=CredentialsSignin&code=credentials"],
    ["signin/unknown", "https://app.test/auth/error?error=Configuration"],
  ])("does so for the error of POST /%s", async (path, url) => {
    const answer = await post(openFullHost().browser, `/auth/${path}`, {}, wanted)
    expect([answer.status, answer.json()]).toEqual([200, { url }])
  })

  it.each(["session", "providers", "csrf", "signin", "error"])("leaves GET /%s as it is", async (path) => {
    const { browser } = openFullHost()
    await browser.csrfToken()
    const plain = await get(browser, `/auth/${path}`)
    const asked = await get(browser, `/auth/${path}`, wanted.headers)
    expect([asked.status, asked.text]).toEqual([plain.status, plain.text])
  })
})

describe("a form with `json=true`, as the browser's side of next-auth 4 sends it", () => {
  const json = "true"

  it("is answered with JSON in place of a redirect, refused or not", async () => {
    const { browser } = openFullHost()
    const refusal = await post(browser, "/auth/callback/cred", { u: "v", p: "wrong", json })
    const url = "https://app.test/auth/signin?error=CredentialsSignin&code=credentials"
    expect([refusal.status, refusal.json()]).toEqual([200, { url }])
    const answer = await post(browser, "/auth/callback/cred", { u: "v", p: "right", json })
    expect([answer.status, answer.json(), answer.location]).toEqual([200, { url: "https://app.test" }, null])
    expect(answer.cookies.has(sessionCookie)).toBe(true)
  })

  it.each([["false"], [""], ["1"]])("is answered with a redirect when the field says %j", async (other) => {
    const answer = await post(openFullHost().browser, "/auth/callback/cred", { u: "v", p: "right", json: other })
    expect([answer.status, answer.location]).toEqual([302, "https://app.test"])
  })

  it("is told in JSON to wait", async () => {
    const { newBrowser } = openHost({
      providers: [passwordProvider()],
      session: { strategy: "jwt" },
      rateLimit: { budgets: { callback: { limit: 1, windowSeconds: 60 } } },
    })
    const browser = newBrowser({ clientAddress: "192.0.2.7" })
    await post(browser, "/auth/callback/cred", { u: "v", p: "wrong", json })
    const answer = await post(browser, "/auth/callback/cred", { u: "v", p: "right", json })
    expect([answer.status, answer.json()]).toMatchObject([429, { url: expect.stringContaining("TooManyRequests") }])
  })
})
