import { describe, expect, it } from "vitest"
import { resolveCookies } from "./cookie-options.js"

const names = (isSecure: boolean) => Object.values(resolveCookies(undefined, { isSecure })).map(({ name }) => name)

describe("resolveCookies", () => {
  it("uses the names of the contract", () => {
    expect(names(false)).toEqual([
      "authjs.session-token",
      "authjs.callback-url",
      "authjs.csrf-token",
      "authjs.pkce.code_verifier",
      "authjs.state",
      "authjs.nonce",
      "authjs.challenge",
    ])
    expect(names(true)).toEqual([
      "__Secure-authjs.session-token",
      "__Secure-authjs.callback-url",
      "__Host-authjs.csrf-token",
      "__Secure-authjs.pkce.code_verifier",
      "__Secure-authjs.state",
      "__Secure-authjs.nonce",
      "__Secure-authjs.challenge",
    ])
  })

  it.each([true, false])("has the attributes of the contract if secure is %s", (secure) => {
    const common = { httpOnly: true, sameSite: "lax", path: "/", secure }
    const { sessionToken, callbackUrl, csrfToken, ...checks } = resolveCookies({}, { isSecure: secure })
    for (const { options } of [sessionToken, callbackUrl, csrfToken]) expect(options).toStrictEqual(common)
    for (const { options } of Object.values(checks)) expect(options).toStrictEqual({ ...common, maxAge: 900 })
  })

  it("merges the configured names and attributes over the defaults", () => {
    const given = {
      sessionToken: { options: { domain: "app.test", sameSite: undefined } },
      state: { name: "my-state", options: { maxAge: 60 } },
      csrfToken: {},
    }
    const before = structuredClone(given)
    const cookies = resolveCookies(given, { isSecure: true })
    expect(cookies.sessionToken).toStrictEqual({
      name: "__Secure-authjs.session-token",
      options: { httpOnly: true, sameSite: "lax", path: "/", secure: true, domain: "app.test" },
    })
    expect(cookies.state.name).toBe("my-state")
    expect(cookies.state.options).toMatchObject({ maxAge: 60, httpOnly: true })
    expect(cookies.csrfToken).toEqual(resolveCookies(undefined, { isSecure: true }).csrfToken)
    expect(given).toEqual(before)
  })

  it("has the cookies of the contract only", () => {
    const given: object = JSON.parse('{"other":{"name":"x"},"__proto__":{"state":{"name":"y"}}}')
    expect(resolveCookies(given, { isSecure: false })).toEqual(resolveCookies(undefined, { isSecure: false }))
  })
})
