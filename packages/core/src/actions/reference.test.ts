import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import { keptCookies } from "../../test/setup/kept-cookies.js"
import type { AuthError } from "../errors/auth-error.js"
import {
  AccessDenied,
  CallbackRouteError,
  EmailSignInError,
  InvalidCheck,
  InvalidConfiguration,
  InvalidProvider,
  MissingAuthorize,
  UnknownAction,
} from "../errors/errors.js"
import { findErrorReason } from "../errors/failure-reason.js"
import { referenceCookie } from "../features/failure.js"
import { findReference, toReferenceCookie } from "./reference.js"

const cookie = referenceCookie({ isSecure: true })

function find(value: string, code: string | null = "AccessDenied") {
  return findReference(cookie, keptCookies({ [cookie.name]: value }).jar(), code)
}

describe("referenceCookie", () => {
  it("expires after five minutes and is HttpOnly", () => {
    const options = { httpOnly: true, sameSite: "lax", path: "/", secure: true, maxAge: 300 }
    expect(cookie).toEqual({ name: "__Secure-authjs.error-reference", options })
    expect(referenceCookie({ isSecure: false })).toEqual({
      name: "authjs.error-reference",
      options: { ...options, secure: false },
    })
  })
})

describe("findReference", () => {
  it.each([
    "",
    "7F3K-Q2",
    "7F3K-Q2:AccessDenied",
    "7F3K-Q2:AccessDenied:oidc",
    "7f3k-q2:AccessDenied:oidc:x",
    "7F3K-Q2:AccessDenied:<script>:x",
    "7F3K-Q2:AccessDenied:oidc:a b",
    "7F3K-Q2:AccessDenied:oidc:x\n",
    "x7F3K-Q2:AccessDenied:oidc:x",
    "7F3K-Q2:Other:oidc:x",
  ])("finds nothing in %j", (value) => {
    expect(find(value)).toBeNull()
  })

  it("finds nothing for another error code, or none", () => {
    const { value } = toReferenceCookie(cookie, new AccessDenied("no"), "AccessDenied")
    expect(find(value)).not.toBeNull()
    expect(find(value, "Verification")).toBeNull()
    expect(find(value, null)).toBeNull()
  })

  it("finds only plain text, for any cookie", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string(), (provider, error) => {
        const found = find(`7F3K-Q2:AccessDenied:${provider}:${error}`)
        if (found) expect(`${found.errorProvider}${found.providerError}`).toMatch(/^[\w.~-]*$/)
      }),
    )
  })

  it("finds the public details of the error's cause", () => {
    const error = new AccessDenied("no", { provider: "oidc", error: "login_required", token: "secret" })
    const { value } = toReferenceCookie(cookie, error, "AccessDenied")
    expect(value).not.toContain("secret")
    expect(find(value)).toEqual({ reference: error.reference, errorProvider: "oidc", providerError: "login_required" })
  })

  it.each([
    [new UnknownAction("no"), "invalid-link"],
    [new InvalidProvider("no", { provider: "oidc" }), "invalid-link"],
    [new InvalidCheck("no", { error: "from_the_provider" }), "stale-flow"],
    [new InvalidConfiguration("providers.x.apiKey: missing"), "not-set-up"],
    [new MissingAuthorize("no"), "not-set-up"],
    [new EmailSignInError("no"), "address"],
    [new EmailSignInError("no", { concerns: "provider" }), "service"],
    [new CallbackRouteError("no"), ""],
  ])("finds what a page says beyond %s", (error, detail) => {
    expect(find(toReferenceCookie(cookie, error, "Configuration").value, "Configuration")?.providerError).toBe(detail)
  })

  it.each(["a:b", "<b>", "a b", "", "x".repeat(65), "é", 7, { a: 1 }, null])(
    "leaves out a detail that is %j",
    (detail) => {
      const error = new AccessDenied("no", { provider: detail, error: detail })
      const { value } = toReferenceCookie(cookie, error, "AccessDenied")
      expect(find(value)).toEqual({ reference: error.reference, errorProvider: "", providerError: "" })
    },
  )
})

describe("findErrorReason", () => {
  const headersWith = (error: AuthError, shown = "Configuration", { isSecure } = { isSecure: true }) => {
    const { name, value } = toReferenceCookie(referenceCookie({ isSecure }), error, shown)
    return new Headers({ cookie: `a=1; ${name}=${encodeURIComponent(value)}; b=2` })
  }

  it.each([
    [new InvalidCheck("no"), "stale-flow"],
    [new InvalidProvider("no"), "invalid-link"],
    [new MissingAuthorize("no"), "not-set-up"],
    [new CallbackRouteError("no", { error: "server_error" }), null],
  ])("tells the page of an app about %s", (error, reason) => {
    for (const isSecure of [true, false])
      expect(findErrorReason(headersWith(error, "Configuration", { isSecure }), "Configuration")).toBe(reason)
  })

  it("finds nothing for another error than that of the cookie, and without a cookie", () => {
    const headers = headersWith(new InvalidCheck("no"))
    expect(findErrorReason(headers, "AccessDenied")).toBeNull()
    expect(findErrorReason(headers, null)).toBeNull()
    expect(findErrorReason(headersWith(new InvalidCheck("no"), "AccessDenied"), "AccessDenied")).toBeNull()
    expect(findErrorReason(new Headers(), "Configuration")).toBeNull()
    const forged = new Headers({ cookie: "authjs.error-reference=7F3K-Q2:Configuration:x:<b>" })
    expect(findErrorReason(forged, "Configuration")).toBeNull()
  })
})
