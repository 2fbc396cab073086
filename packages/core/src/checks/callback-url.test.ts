import { recordingLogger } from "@latchkey/testkit"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import { failureOf } from "../../test/setup/failure-of.js"
import { appOrigin, authRequestTo, type TestRequestOptions } from "../../test/setup/requests.js"
import { resolveCallbacks } from "../host/callbacks.js"
import { assertCallbackParameter } from "../http/origin.js"
import { resolveCookies } from "../http/own-cookies.js"
import { createLog } from "../log/log.js"
import type { CallbacksOptions } from "../types/callbacks.js"
import { createCallbackUrls } from "./callback-url.js"

const cookie = resolveCookies(undefined, { isSecure: true }).callbackUrl

function setUp(redirect?: CallbacksOptions["redirect"]) {
  const logger = recordingLogger()
  const asked: unknown[] = []
  const policy = resolveCallbacks(redirect ? { redirect } : undefined).redirect
  const recorded: CallbacksOptions["redirect"] = (params) => {
    asked.push(params)
    return policy(params)
  }
  const callbackUrls = createCallbackUrls(cookie, { redirect: recorded }, createLog(logger))
  const resolve = async (path: string, options?: TestRequestOptions) =>
    callbackUrls.resolve(await authRequestTo(path, options))
  const check = (url: string) => callbackUrls.check(url, appOrigin)
  return { resolve, check, asked, errors: logger.errors }
}

/** A policy that returns any value, as plain JavaScript may. */
const answering = (answer: unknown) => setUp(() => answer as string)

/** The URL that a browser on one of our pages resolves this to. */
const landing = (url: string) => new URL(url, `${appOrigin}/auth/x`)

const pieces = ["https://", "http:", "//", "\\", "/", "app.test", "evil.test", "@", ":443", ":8443", "\t", "\n", "\r"]
const morePieces = [
  "%0d",
  "%5c",
  "blob:",
  "javascript:",
  "data:",
  "?",
  "#",
  ".",
  "..",
  " ",
  "\0",
  "u:p",
  "[",
  "é",
  "\u2028",
]
const tricky = fc.array(fc.constantFrom(...pieces, ...morePieces)).map((parts) => parts.join(""))
const anything = fc.oneof(
  tricky,
  fc.string({ unit: anyCharacter }),
  fc.webUrl(),
  tricky.map((text) => `/${text}`),
)

describe("check, with the default policy", () => {
  it("URL-18: stays at this origin without backslashes or control characters, for any input", async () => {
    const { check } = setUp()
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        const url = await check(text)
        const { origin, username, password } = landing(url)
        expect([origin, username, password]).toEqual([appOrigin, "", ""])
        expect(url).toMatch(/^[\x21-\x5b\x5d-\x7e]+$/)
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    ["URL-01", "https://evil.test/x"],
    ["URL-02", "//evil.test"],
    ["URL-02", "///evil.test"],
    ["URL-02", "////evil.test/x"],
    ["URL-03", "/\\evil.test"],
    ["URL-03", "\\/evil.test"],
    ["URL-03", "/%5Cevil.test"],
    ["URL-03", "/\t/evil.test"],
    ["URL-03", "/\n/evil.test"],
    ["URL-04", "https://app.test@evil.test"],
    ["URL-04", "https://app.test:443@evil.test"],
    ["URL-05", "https://app.test.evil.test"],
    ["URL-05", "https://evil-app.test"],
    ["URL-05", "https://app.testx"],
    ["URL-05", "https://app.test%2eevil.test"],
    ["URL-06", "http://app.test/"],
    ["URL-06", "https://app.test:8443/"],
    ["URL-06", "ws://app.test"],
    ["URL-06", "ftp://app.test"],
    ["URL-07", "blob:https://app.test/1"],
    ["URL-08", "javascript:alert(1)"],
    ["URL-08", "JaVaScRiPt:alert(1)"],
    ["URL-08", "data:text/html,x"],
    ["URL-08", "vbscript:x"],
    ["URL-09", "https://["],
    ["URL-09", "%"],
    ["URL-12", "/x\r\nSet-Cookie: a=b"],
  ])("%s: %j stays at this origin", async (_, text) => {
    const url = await setUp().check(text)
    expect(landing(url).origin).toBe(appOrigin)
    expect(url).toMatch(/^[\x21-\x5b\x5d-\x7e]+$/)
  })

  it("URL-04: removes the user name from a URL of this origin", async () => {
    expect(await setUp().check("https://u:p@app.test/x")).toBe("https://app.test/x")
  })

  it("URL-13: encodes characters that a header must not contain", async () => {
    expect(await setUp().check("/€?q=é#ü")).toBe("https://app.test/%E2%82%AC?q=%C3%A9#%C3%BC")
  })

  it.each([
    ["/private?a=b&c=%2F#top", "https://app.test/private?a=b&c=%2F#top"],
    ["https://app.test/private", "https://app.test/private"],
    ["https://app.test", "https://app.test"],
    ["https://app.test/", "https://app.test/"],
    ["/", "https://app.test/"],
  ])("keeps %s", async (wish, expected) => {
    expect(await setUp().check(wish)).toBe(expected)
  })
})

describe("check, with an app's policy", () => {
  it.each([
    "javascript:1",
    "data:text/html,x",
    "blob:https://app.test/1",
    "ftp://app.test",
    "https://",
    undefined,
    null,
    42,
    {},
    ["https://partner.test"],
  ])("URL-16: falls back to the origin and logs an error when it returns %j", async (answer) => {
    const { check, errors } = answering(answer)
    expect(await check("/x")).toBe(appOrigin)
    expect(errors).toMatchObject([{ type: "InvalidConfiguration" }])
    expect(errors[0]?.message).toMatch(/^callbacks\.redirect: must return/)
  })

  it("URL-16: falls back to the origin and logs the cause when it throws", async () => {
    const err = new Error("no policy")
    const sync = setUp(() => {
      throw err
    })
    const late = setUp(() => Promise.reject(err))
    for (const { check, errors } of [sync, late]) {
      expect(await check("/x")).toBe(appOrigin)
      expect(errors).toMatchObject([{ type: "InvalidConfiguration", cause: { err } }])
    }
  })

  it("URL-16: follows it to another site", async () => {
    expect(await answering("https://partner.test/x").check("/x")).toBe("https://partner.test/x")
    expect(await answering(Promise.resolve("https://partner.test")).check("/x")).toBe("https://partner.test")
  })

  it("resolves a path against this origin, and normalizes what browsers parse differently", async () => {
    expect(await answering("/home").check("/x")).toBe("https://app.test/home")
    expect(await answering("https://partner.test/a\\b\tc?d\\e#\\").check("/x")).toBe(
      "https://partner.test/a/bc?d%5Ce#%5C",
    )
    expect(await answering("https:\\\\app.test\\a").check("/x")).toBe("https://app.test/a")
    expect(await answering("https://me:pw@app.test/").check("/x")).toBe("https://app.test/")
  })

  it.each([
    ["URL-02", "//evil.test"],
    ["URL-02", "///evil.test/x"],
    ["URL-03", "/\\evil.test"],
    ["URL-03", "\\/evil.test"],
    ["URL-03", "\\\\evil.test"],
    ["URL-03", "/\t/evil.test"],
    ["URL-03", "/\n/evil.test"],
    ["URL-03", "\r//evil.test"],
    ["URL-03", " //evil.test"],
    ["URL-03", "\u0000//evil.test"],
    ["URL-03", "https:evil.test"],
    ["URL-03", "https:/evil.test"],
    ["URL-03", "https:\\\\evil.test"],
    ["URL-03", "ht\ttps://evil.test"],
    ["URL-03", "https://app.test\\.evil.test@evil.test"],
    ["URL-03", "https://app.test\t.evil.test"],
    ["URL-04", "https://app.test@evil.test"],
    ["URL-04", "https://app.test:443@evil.test/x"],
  ])(
    "%s: does not leave the site for an answer that only looks like a path or like this origin: %j",
    async (_, text) => {
      for (const { check, errors } of [answering(text), setUp(({ url }) => url)]) {
        expect(landing(await check(text)).origin).toBe(appOrigin)
        for (const error of errors) {
          expect(error).toMatchObject({ type: "InvalidConfiguration" })
          expect(error.message).toMatch(/^callbacks\.redirect: must/)
        }
      }
      expect(landing(await setUp(({ url, baseUrl }) => (url.startsWith("/") ? url : baseUrl)).check(text)).origin).toBe(
        appOrigin,
      )
    },
  )

  it.each(["com.example.app://signed-in?a=b", "com.example.app:/signed-in", "com.example.app:///x#y"])(
    "URL-16: follows it to a native app: %s",
    async (text) => {
      expect(await answering(text).check("/x")).toBe(text)
      const { resolve } = setUp(({ url }) => url)
      const asked = `/auth/signin?callbackUrl=${encodeURIComponent(text)}`
      expect(await resolve(asked)).toEqual({ url: text, cookies: [{ ...cookie, value: text }] })
      const header = `${cookie.name}=${encodeURIComponent(text)}`
      expect(await resolve("/auth/signin", { cookie: header })).toEqual({ url: text, cookies: [] })
      expect(await setUp().check(text)).toBe(appOrigin)
    },
  )

  it.each([
    "javascript:alert(1)",
    "javascript://x.y/%0aalert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "myapp://x",
    "com.example.app:x",
    "com.example.app://x\ny",
    "\tcom.example.app://x",
  ])("URL-08: does not follow it to %j", async (text) => {
    expect(await answering(text).check("/x")).toBe(appOrigin)
  })

  it("receives only the URL and the origin", async () => {
    const { check, asked } = setUp()
    await check("/x")
    expect(asked).toStrictEqual([{ url: "/x", baseUrl: appOrigin }])
  })
})

describe("resolve", () => {
  it("applies the policy to the origin for a form without a callback URL", async () => {
    const { resolve, asked } = answering("/dashboard")
    expect(await resolve("/auth/signout", { form: {} })).toEqual({ url: `${appOrigin}/dashboard`, cookies: [] })
    expect(asked).toEqual([{ url: appOrigin, baseUrl: appOrigin }])
  })

  it("returns the origin for a page without a callback URL, and does not call the policy", async () => {
    const { resolve, asked } = setUp()
    expect(await resolve("/auth/signin")).toEqual({ url: appOrigin, cookies: [] })
    expect(await resolve("/auth/signin?callbackUrl=")).toEqual({ url: appOrigin, cookies: [] })
    expect(asked).toEqual([])
  })

  it("remembers the callback URL of the query, or of the form if both have one", async () => {
    const { resolve } = setUp()
    const url = "https://app.test/a"
    expect(await resolve("/auth/signin?callbackUrl=/a")).toEqual({ url, cookies: [{ ...cookie, value: url }] })
    const form = { callbackUrl: "/a" }
    expect(await resolve("/auth/signin/oidc?callbackUrl=/b", { form })).toHaveProperty("url", url)
    expect(cookie.options).toEqual({ httpOnly: true, sameSite: "lax", path: "/", secure: true })
  })

  it("sets no cookie when the browser has the same one", async () => {
    const { resolve, asked } = setUp()
    const header = `${cookie.name}=${encodeURIComponent("https://app.test/a")}`
    expect((await resolve("/auth/signin?callbackUrl=/a", { cookie: header })).cookies).toEqual([])
    expect(await resolve("/auth/signin", { cookie: header })).toEqual({ url: "https://app.test/a", cookies: [] })
    expect(asked).toHaveLength(2)
  })

  it("does not remember a URL that browsers would drop, and forgets the older one", async () => {
    const { resolve } = setUp()
    const path = (length: number) => `/${"a".repeat(length)}`
    expect((await resolve(`/auth/signin?callbackUrl=${path(3800)}`)).cookies).toHaveLength(1)
    for (const wish of [path(4100), `/${"%25".repeat(1000)}`]) {
      const { url, cookies } = await resolve(`/auth/signin?callbackUrl=${encodeURIComponent(wish)}`)
      expect([url, cookies]).toEqual([`${appOrigin}${wish}`, []])
    }
    const header = `${cookie.name}=${encodeURIComponent("https://app.test/a")}`
    const { cookies } = await resolve(`/auth/signin?callbackUrl=${path(4100)}`, { cookie: header })
    expect(cookies).toEqual([{ ...cookie, value: "", options: { ...cookie.options, maxAge: 0 } }])
  })

  it("URL-01: applies the policy to the remembered URL, and replaces one that it rejects", async () => {
    const { resolve } = setUp()
    const { url, cookies } = await resolve("/auth/signin", { cookie: `${cookie.name}=https%3A%2F%2Fevil.test%2Fx` })
    expect([url, cookies]).toEqual([appOrigin, [{ ...cookie, value: appOrigin }]])
  })

  it.each(["https://[", "javascript:1", "evil.test", "%", "blob:https://app.test/1"])(
    "URL-10: ignores and clears a remembered %j",
    async (remembered) => {
      const { resolve, asked } = setUp()
      const header = `${cookie.name}=${encodeURIComponent(remembered)}`
      const cleared = { ...cookie, value: "", options: { ...cookie.options, maxAge: 0 } }
      expect(await resolve("/auth/signin", { cookie: header })).toEqual({ url: appOrigin, cookies: [cleared] })
      expect(asked).toEqual([])
      const { cookies } = await resolve("/auth/signin?callbackUrl=/a", { cookie: header })
      expect(cookies).toEqual([{ ...cookie, value: "https://app.test/a" }])
    },
  )
})

describe("assertCallbackParameter", () => {
  it.each(["https://[", "http://:@/", "%", "javascript:1", "evil.test", "ftp://app.test", "\\/evil.test"])(
    "URL-09: rejects %j",
    async (given) => {
      const url = new URL(`${appOrigin}/auth/csrf?callbackUrl=${encodeURIComponent(given)}`)
      const { error } = await failureOf(Promise.resolve().then(() => assertCallbackParameter(url)))
      expect(error.type).toBe("InvalidCallbackUrl")
    },
  )

  it.each([
    "",
    "?callbackUrl=",
    "?callbackUrl=/a",
    "?callbackUrl=https://elsewhere.test",
    "?callbackUrl=//x",
    "?callbackUrl=com.example.app://x",
  ])("accepts %j, which is left to the policy", (query) => {
    expect(() => assertCallbackParameter(new URL(`${appOrigin}/auth/csrf${query}`))).not.toThrow()
  })
})
