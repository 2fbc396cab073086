import { describe, expect, it } from "vitest"
import { AuthError } from "./auth-error.js"
import * as configuration from "./configuration.js"
import { failureKinds } from "./failure-kind.js"
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
  TooManyRequests: "signIn",
  Verification: "error",
  WebAuthnVerificationError: "error",
}
/** Types whose public code the service specification names otherwise. */
const renamed: Readonly<Record<string, string>> = { EmailSignInError: "EmailSignin", OAuthSignInError: "OAuthSignin" }

describe("getLanding", () => {
  it.each(Object.entries(errors))("knows where %s ends", (name, AnyError) => {
    const page = shown[name]
    const expected = page ? { page, error: renamed[name] ?? name } : { page: "error", error: "Configuration" }
    const { concerns, ...landing } = getLanding(new AnyError("x"))
    expect(landing).toEqual(expected)
    expect(failureKinds).toContain(concerns)
  })

  it("has a place for every class and for nothing else", () => {
    expect(Object.keys(landings).sort()).toEqual(Object.keys(errors).sort())
  })

  it("calls no failure of the host's settings by another kind than config", () => {
    const kinds = Object.values(configuration).map((AnyError) => getLanding(new AnyError("x")).concerns)
    expect(new Set(kinds)).toEqual(new Set(["config"]))
  })

  it.each([null, ...["Own", "", "toString", "__proto__"].map((type) => Object.assign(new AuthError("x"), { type }))])(
    "tells nothing of what it does not know",
    (error) => {
      expect(getLanding(error)).toEqual({ page: "error", error: "Configuration", concerns: "service" })
    },
  )
})
