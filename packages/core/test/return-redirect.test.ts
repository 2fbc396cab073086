import { testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { get, post } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider, sessionCookie } from "./sign-ins.js"

const wanted = { headers: { "x-auth-return-redirect": "0" } }
const openFullHost = () =>
  openHost({
    providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider()],
    session: { strategy: "jwt" },
  })

describe("X-Auth-Return-Redirect", () => {
  it("turns a redirect into JSON, whatever its value, and keeps the cookies", async () => {
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
