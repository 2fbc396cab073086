import { recordingLogger } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { actionSetup } from "../../test/setup/action-setup.js"
import { failureOf } from "../../test/setup/failure-of.js"
import { appOrigin, authRequestTo, type TestRequestOptions } from "../../test/setup/requests.js"
import { AuthError, type AuthErrorType, errorPages } from "../errors/auth-error.js"
import { CredentialsSignin, UntrustedHost } from "../errors/errors.js"
import * as errors from "../errors/index.js"
import { referenceCookie, refuseRequest, toFailure } from "../features/failure.js"
import { readCookies } from "../http/cookies.js"
import { noStore, Refusal } from "../http/response.js"
import { createLog } from "../log/log.js"
import type { PagesOptions } from "../types/config.js"
import { findReference } from "./reference.js"
import { refuseAction, refuseConfiguration } from "./refuse.js"

describe("refuseConfiguration", () => {
  const pageRoutes = ["signin", "signout", "error", "verify-request"]

  const otherRequests: readonly (readonly [string, TestRequestOptions])[] = [
    ["session", {}],
    ["csrf", {}],
    ["providers", {}],
    ["callback/oidc", {}],
    ["webauthn-options", {}],
    ["signin/oidc", { form: { csrfToken: "t" } }],
    ["signout", { form: { csrfToken: "t" } }],
  ]

  async function refuse(
    path: string,
    options: TestRequestOptions = {},
    pages: Partial<PagesOptions> = {},
    isProduction = true,
  ) {
    const logger = recordingLogger()
    const mistake = new UntrustedHost("trustHost: is not set")
    const context = { ...actionSetup().context, pages, isProduction, log: createLog(logger) }
    const reply = await refuseConfiguration(mistake, await authRequestTo(`/auth/${path}`, options), context)
    const text = reply.body?.kind === "html" ? reply.body.text : JSON.stringify(reply.body)
    const [error] = logger.errors
    const reference = error instanceof UntrustedHost ? error.reference : undefined
    return { ...reply, text, reference, message: error?.message, logged: logger.errorTypes() }
  }

  it.each(pageRoutes)("shows the error page for GET %s, without the mistake", async (route) => {
    const { status, text, logged, cookies } = await refuse(route)
    expect([status, logged, cookies]).toEqual([500, ["UntrustedHost"], undefined])
    expect(text).not.toMatch(/trustHost|UntrustedHost/)
  })

  it.each(pageRoutes)("redirects GET %s to the app's error page", async (route) => {
    const { redirect } = await refuse(route, {}, { error: "/oops?x=1" })
    expect(redirect).toBe("https://app.test/oops?x=1&error=Configuration")
    const elsewhere = await refuse(route, {}, { error: "https://accounts.corp.test/oops" })
    expect(elsewhere.redirect).toBe("https://accounts.corp.test/oops?error=Configuration")
  })

  it.each(otherRequests)("answers %s with 500 and one sentence", async (path, options) => {
    const { status, body, text, reference } = await refuse(path, options, { error: "/oops" })
    expect([status, body?.kind]).toEqual([500, "json"])
    expect(text).toContain("problem with the server configuration")
    expect(text).toContain(reference)
    expect(text).not.toContain("trustHost")
  })

  it.each(["/oops", "/oops?again=1", "https://app.test/oops"])(
    "PAGE-12: shows the built-in page when the host's error page requires a session for %s, and logs that",
    async (callbackUrl) => {
      const path = `signin?callbackUrl=${encodeURIComponent(callbackUrl)}`
      const { status, logged, redirect } = await refuse(path, {}, { error: "/oops" })
      expect([status, redirect]).toEqual([500, undefined])
      expect(logged).toEqual(["UntrustedHost", "ErrorPageLoop"])
    },
  )

  it("shows the mistake to a developer on their own machine, but never in production", async () => {
    const origin = "http://localhost:3000"
    expect((await refuse("signin", { origin }, {}, false)).text).toContain("trustHost: is not set")
    expect((await refuse("signin", { origin }, {}, true)).text).not.toContain("trustHost")
    expect((await refuse("signin", {}, {}, false)).text).not.toContain("trustHost")
  })

  it("HOST-01: logs the host and the header that it came from", async () => {
    const { message, text } = await refuse("session", { headers: { "x-forwarded-host": "app.test", host: "inner" } })
    expect(message).toBe(`trustHost: is not set. The request's host is "app.test" (the header X-Forwarded-Host)`)
    expect(text).not.toContain("app.test")
  })

  it("serves the stylesheet, and logs nothing for it", async () => {
    const { body, logged, status } = await refuse("style.css")
    expect([body?.kind, status, logged]).toEqual(["css", undefined, []])
  })
})

describe("refuse", () => {
  const cookie = referenceCookie({ isSecure: true })
  const actionUrl = ({ url }: { readonly url: URL }, path: string) => `${url.origin}/auth/${path}`

  /** The page of each error. All others lead to `error?error=Configuration`. */
  const said: Partial<Record<AuthErrorType, string>> = {
    AccessDenied: "error?error=AccessDenied",
    AccountNotLinked: "signin?error=AccountNotLinked",
    CodeSpent: "signin?error=Verification",
    CodeWrong: "verify-request?provider=oidc&type=email&error=CodeWrong",
    CredentialsSignin: "signin?error=CredentialsSignin&code=credentials",
    EmailSignInError: "signin?error=EmailSignin",
    MissingCSRF: "signin?error=MissingCSRF",
    FreshnessRequired: "signin?error=SessionRequired",
    HeldExpired: "signin?error=SessionRequired",
    OAuthAccountNotLinked: "signin?error=OAuthAccountNotLinked",
    OAuthCallbackError: "signin?error=OAuthCallbackError",
    OAuthSignInError: "signin?error=OAuthSignin",
    SecondFactorWrong: "signin?error=SessionRequired",
    TooManyRequests: "signin?error=TooManyRequests",
    Verification: "error?error=Verification",
    WebAuthnVerificationError: "error?error=WebAuthnVerificationError",
  }

  const types = Object.keys(errorPages).filter((type) => type !== "InvalidRequest") as AuthErrorType[]

  function makeError(type: AuthErrorType): AuthError {
    const cause = { provider: "oidc" }
    if (type === "AccessTokenUnavailable") return new errors.AccessTokenUnavailable("secret detail", "refused", cause)
    const [, ErrorClass = AuthError] = Object.entries(errors).find(([name]) => name === type) ?? []
    // The others have the same constructor, but for `InvalidRequest`.
    return new (ErrorClass as typeof AuthError)("secret detail of the log", cause)
  }

  async function refuse(thrown: unknown, pages: Partial<PagesOptions> = {}, path = "/auth/callback/oidc?code=c") {
    return refuseAction(toFailure(thrown), await authRequestTo(path), {
      ...actionSetup().context,
      pages,
      actionUrl,
      referenceCookie: cookie,
    })
  }

  describe("refuseAction", () => {
    it.each(types)("redirects %s to its page with the contract's query only", async (type) => {
      const { redirect, cookies = [], status, body } = await refuse(makeError(type))
      expect(redirect).toBe(`${appOrigin}/auth/${said[type] ?? "error?error=Configuration"}`)
      expect([status, body]).toEqual([undefined, undefined])
      expect(JSON.stringify([redirect, cookies])).not.toContain("secret detail")
    })

    const details: Partial<Record<AuthErrorType, string>> = {
      EmailSignInError: "address",
      InvalidCheck: "stale-flow",
      InvalidProvider: "invalid-link",
      UnknownAction: "invalid-link",
    }

    it.each(types)("sets the reference cookie for %s, unless it is a wrong password or code", async (type) => {
      const error = makeError(type)
      const { cookies = [], redirect = "" } = await refuse(error)
      const code = new URL(redirect).searchParams.get("error")
      const jar = readCookies(cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join(";"))
      const isConfiguration = errorPages[type].concerns === "config"
      const providerError = isConfiguration ? "not-set-up" : (details[type] ?? "")
      const expected = { reference: error.reference, errorProvider: "oidc", providerError }
      expect(findReference(cookie, jar, code)).toEqual(
        ["CodeWrong", "CredentialsSignin"].includes(type) ? null : expected,
      )
    })

    it("treats any other error as an internal one", async () => {
      for (const thrown of [new TypeError("x is not a function"), "text", null, undefined, { error: 1 }]) {
        expect((await refuse(thrown)).redirect).toBe(`${appOrigin}/auth/error?error=Configuration`)
      }
    })

    it("uses the app's pages, as paths or URLs, with or without a query", async () => {
      const pages = { signIn: "/login?from=auth", error: "https://accounts.corp.test/oops#top" }
      const signIn = await refuse(makeError("MissingCSRF"), pages)
      expect(signIn.redirect).toBe(`${appOrigin}/login?from=auth&error=MissingCSRF`)
      const error = await refuse(makeError("AccessDenied"), pages)
      expect(error.redirect).toBe("https://accounts.corp.test/oops?error=AccessDenied#top")
    })

    it("CRED-03: encodes the code of a CredentialsSignin as one query value", async () => {
      class Injecting extends CredentialsSignin {
        override code = "x&callbackUrl=https://evil.test#"
      }
      const { redirect = "" } = await refuse(new Injecting())
      expect([...new URL(redirect).searchParams]).toEqual([
        ["error", "CredentialsSignin"],
        ["code", "x&callbackUrl=https://evil.test#"],
      ])
    })

    it("CSRF-16: answers a failed session update with 400 and null", async () => {
      for (const type of types) {
        const request = await authRequestTo("/auth/session", { json: { data: 1 } })
        const reply = await refuseAction(toFailure(makeError(type)), request, {
          ...actionSetup().context,
          pages: {},
          actionUrl,
          referenceCookie: cookie,
        })
        expect(reply).toEqual({ status: 400, body: { kind: "json", value: null }, cookies: [], headers: noStore })
      }
    })

    it("redirects every other POST to a page, and GET session too", async () => {
      const requests = [
        ["/auth/signin/oidc", { form: { csrfToken: "t" } }],
        ["/auth/callback/cred", { form: { csrfToken: "t" } }],
        ["/auth/signout", { form: { csrfToken: "t" } }],
        ["/auth/session", {}],
      ] as const
      for (const [path, options] of requests) {
        const context = { ...actionSetup().context, pages: {}, actionUrl, referenceCookie: cookie }
        const { redirect } = await refuseAction(
          toFailure(makeError("AccessDenied")),
          await authRequestTo(path, options),
          context,
        )
        expect(redirect).toBe(`${appOrigin}/auth/error?error=AccessDenied`)
      }
    })

    it("answers an invalid field with a status", async () => {
      const reply = await refuse(new errors.InvalidRequest("email must be text"))
      expect(reply).toEqual({
        status: 400,
        body: { kind: "json", value: "Bad request." },
        cookies: [],
        headers: noStore,
      })
    })

    it("COOK-18: sets the cookies of a refusal in every kind of reply", async () => {
      const cleared = { name: "a", value: "", options: { maxAge: 0 } }
      const wrap = (error: unknown) => new Refusal(error, [cleared])
      expect((await refuse(wrap(makeError("InvalidCheck")))).cookies?.[0]).toBe(cleared)
      expect((await refuse(wrap(new errors.InvalidRequest("x")))).cookies).toEqual([cleared])
      expect((await refuse(wrap(new Error("bug")))).cookies?.[0]).toBe(cleared)
    })
  })

  describe("refuseRequest", () => {
    it("answers with the error's status, else 400, without a reason", () => {
      const body = { kind: "json", value: "Bad request." }
      expect(refuseRequest(new errors.UnknownAction("x"))).toEqual({ status: 400, body, headers: noStore })
      expect(refuseRequest(new errors.InvalidRequest("too large", 413))).toEqual({
        status: 413,
        body,
        headers: noStore,
      })
    })
  })

  describe("toFailure", () => {
    it("keeps an AuthError, and wraps any other error unchanged", async () => {
      const own = makeError("AccessDenied")
      expect(toFailure(own)).toEqual({ error: own, cookies: [] })
      const bug = new TypeError("x is not a function")
      const { error } = toFailure(bug)
      expect(error).toBeInstanceOf(AuthError)
      expect(error.cause?.err).toBe(bug)
      expect(error.reference).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{2}$/)
      expect((await failureOf(Promise.reject(new Refusal(bug, [])))).error).toBe(bug)
    })
  })
})
