import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { CookieSerializeOptions } from "../types/http.js"
import { shares } from "./cookie-budget.js"
import { contractCookies, ownCookies, resolveCookies, toFrameAttributes, toOwnCookie } from "./own-cookies.js"

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

describe("toFrameAttributes", () => {
  const frameOf = (options: CookieSerializeOptions) =>
    toFrameAttributes(resolveCookies({ sessionToken: { options } }, { isSecure: true }))
  const usual = { httpOnly: true, sameSite: "lax", path: "/", secure: true }

  it.each<[CookieSerializeOptions, CookieSerializeOptions | undefined]>([
    [{}, undefined],
    [{ sameSite: "none" }, { sameSite: "none" }],
    [{ sameSite: "None" as "none" }, { sameSite: "none" }],
    [
      { sameSite: "none", partitioned: true },
      { sameSite: "none", partitioned: true },
    ],
    [{ partitioned: true }, { partitioned: true }],
    [{ sameSite: "strict" }, undefined],
    [{ sameSite: true, domain: "app.test", path: "/x", httpOnly: false }, undefined],
  ])("COOK-21: takes from %j only what a frame of another site needs", (options, frame) => {
    expect(frameOf(options)).toEqual(frame)
    for (const cookie of Object.values(ownCookies)) {
      const { name, options: own } = toOwnCookie(cookie, { isSecure: true, frame: frameOf(options) })
      expect([name, own]).toEqual([cookie.prefix + cookie.name, { ...usual, ...frame }])
    }
  })

  it("COOK-21: gives cookies of plain http neither attribute, which browsers would refuse", () => {
    const { options } = toOwnCookie(ownCookies.held, {
      isSecure: false,
      frame: { sameSite: "none", partitioned: true },
    })
    expect(options).toEqual({ ...usual, secure: false })
  })
})

describe("ownCookies", () => {
  const source = fileURLToPath(new URL("../", import.meta.url))
  const files = globSync("**/*.{ts,tsx}", { cwd: source, exclude: ["**/*.test.*"] })
  const codeOf = (file: string) => readFileSync(source + file, "utf8").replace(/^ *(?:\/?\*|\/\/).*$/gm, "")
  const findFiles = (pattern: RegExp) => files.filter((file) => pattern.test(codeOf(file))).sort()

  it("is the only place that names a cookie", () => {
    // `authjs.unset` is never set. Clearing it shows whether a response can set cookies.
    expect(findFiles(/authjs\.(?!unset)|\.replace\("(?:mail|error-reference)"/)).toEqual(["http/own-cookies.ts"])
  })

  it("is where all cookies but those of a provider's flow get their attributes", () => {
    // Those of other libraries are only cleared.
    const others = ["checks/oauth-flow.ts", "features/moving/values.ts"]
    expect(findFiles(/httpOnly: true/)).toEqual([...others, "http/own-cookies.ts"])
  })

  it("has no two kinds of one name, nor one that is sealed for the purpose of another", () => {
    const all = [...Object.values(contractCookies), ...Object.values(ownCookies)]
    const purposes = all.flatMap((cookie) => ("seal" in cookie ? [cookie.seal] : []))
    for (const texts of [all.map(({ name }) => name), purposes]) expect(new Set(texts).size).toBe(texts.length)
    for (const purpose of purposes) expect(purpose).toContain(":")
  })

  it("leaves room for the largest session, and a sign-in in progress, beside all that is never given up", () => {
    const { sessionToken: _, ...others } = shares
    const small = Object.values(others).filter(({ rank }) => rank === undefined)
    const usual = small.reduce((sum, { share }) => sum + share, 0)
    expect(10 * 1024 + usual).toBeLessThanOrEqual(14 * 1024 - 2 * 1024)
  })
})
