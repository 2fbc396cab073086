import { describe, expect, it } from "vitest"
import { AuthError } from "./auth-error.js"
import * as errors from "./index.js"
import { getLanding, landings } from "./landing.js"

/** What a visitor may be told; all else is a fault of the service. */
const shown: Readonly<Record<string, string>> = {
  AccessDenied: "error",
  AccountNotLinked: "signIn",
  CredentialsSignin: "signIn",
  EmailSignInError: "signIn",
  MissingCSRF: "signIn",
  OAuthAccountNotLinked: "signIn",
  OAuthCallbackError: "signIn",
  OAuthSignInError: "signIn",
  Verification: "error",
  WebAuthnVerificationError: "error",
}
/** Types whose public code the service specification names otherwise. */
const renamed: Readonly<Record<string, string>> = { EmailSignInError: "EmailSignin", OAuthSignInError: "OAuthSignin" }

describe("getLanding", () => {
  it.each(Object.entries(errors))("knows where %s ends", (name, AnyError) => {
    const page = shown[name]
    const expected = page ? { page, error: renamed[name] ?? name } : { page: "error", error: "Configuration" }
    expect(getLanding(new AnyError("x"))).toEqual(expected)
  })

  it("has a place for every class and for nothing else", () => {
    expect(Object.keys(landings).sort()).toEqual(Object.keys(errors).sort())
  })

  it("shows an error on the page of its kind", () => {
    for (const AnyError of Object.values(errors)) {
      const error = new AnyError("x")
      expect(getLanding(error).page, error.type).toBe(error.kind)
    }
  })

  it.each([null, Object.assign(new AuthError("x"), { type: "Own" }), Object.assign(new AuthError("x"), { type: "" })])(
    "tells nothing of what it does not know",
    (error) => {
      expect(getLanding(error)).toEqual({ page: "error", error: "Configuration" })
    },
  )
})
