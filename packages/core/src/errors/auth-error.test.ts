import { describe, expect, it } from "vitest"
import { statuses } from "../features/answer.js"
import { AuthError, errorPages, failureKinds, getErrorPage, toError } from "./auth-error.js"
import * as exported from "./index.js"

const { findErrorReason: _, ...errors } = exported

const classes = { ...errors }

const kindSignIn = [
  "AccountNotLinked",
  "CodeSpent",
  "CredentialsSignin",
  "EmailSignInError",
  "FreshnessRequired",
  "HeldExpired",
  "MissingCSRF",
  "OAuthAccountNotLinked",
  "OAuthCallbackError",
  "OAuthSignInError",
  "SecondFactorWrong",
  "TooManyRequests",
]
const kindError = [
  "AccessDenied",
  "AccessTokenUnavailable",
  "AdapterError",
  "AuthError",
  "CallbackRouteError",
  "DuplicateConditionalUI",
  "ErrorPageLoop",
  "EventError",
  "ExperimentalFeatureNotEnabled",
  "HeldTooLarge",
  "InvalidCallbackUrl",
  "InvalidCheck",
  "InvalidConfiguration",
  "InvalidEndpoints",
  "InvalidProvider",
  "InvalidRequest",
  "JWTSessionError",
  "LogoutTokenInvalid",
  "MissingAdapter",
  "MissingAdapterMethods",
  "MissingAuthorize",
  "MissingSecret",
  "MissingWebAuthnAutocomplete",
  "OAuthProfileParseError",
  "SessionTokenError",
  "SignOutError",
  "UnknownAction",
  "UnsupportedStrategy",
  "UntrustedHost",
  "Verification",
  "WebAuthnVerificationError",
]

describe("the error classes", () => {
  it.each(Object.entries(errors))("%s is an AuthError named after its type", (name, AnyError) => {
    const error = new AnyError("what happened")
    expect(error).toBeInstanceOf(AuthError)
    expect(error).toBeInstanceOf(Error)
    expect([error.type, error.name, AnyError.name]).toEqual([name, name, name])
    expect(String(error)).toBe(`${name}: what happened`)
  })

  it("are shown on the page that the contract requires", () => {
    const byKind = (kind: string) =>
      Object.values(errors)
        .filter((AnyError) => new AnyError("").kind === kind)
        .map(({ name }) => name)
        .sort()
    expect(byKind("signIn")).toEqual(kindSignIn)
    expect(byKind("error")).toEqual(kindError)
    expect(byKind("verifyRequest")).toEqual(["CodeWrong"])
  })
})

describe("AuthError", () => {
  const original = new Error("the store is down")

  it("accepts a message", () => {
    const error = new AuthError("no")
    expect(error.message).toBe("no")
    expect(error).not.toHaveProperty("cause")
    expect(new AuthError().message).toBe("")
  })

  it("accepts an error in place of the message", () => {
    const error = new AuthError(original)
    expect(error.message).toBe("the store is down")
    expect(error.cause).toEqual({ err: original })
    expect(error.cause?.err).toBe(original)
  })

  it("accepts a message and an error", () => {
    const error = new AuthError("sign-in failed", original)
    expect([error.message, error.cause?.err]).toEqual(["sign-in failed", original])
  })

  it("accepts details of the cause, with or without an error", () => {
    expect(new AuthError("no", { err: original, provider: "github" }).cause).toEqual({
      err: original,
      provider: "github",
    })
    expect(new AuthError(original, { provider: "github" }).cause).toEqual({ err: original, provider: "github" })
    const alone = new AuthError({ err: original, provider: "github" })
    expect([alone.message, alone.cause]).toEqual(["the store is down", { err: original, provider: "github" }])
    expect(new AuthError({ provider: "github" })).toMatchObject({ message: "", cause: { provider: "github" } })
  })

  it("keeps an AuthError as the cause, and copies its details", () => {
    const inner = new AuthError("inner", { err: original, provider: "github" })
    expect(new AuthError("outer", inner).cause).toEqual({ err: inner, provider: "github" })
  })

  it("does not change its arguments", () => {
    const cause = Object.freeze({ err: original, provider: "github" })
    expect(new AuthError(Object.freeze(new Error("x")), cause).cause).toEqual(cause)
    expect(original).not.toHaveProperty("cause")
  })

  it("has a constant reference that differs from that of other errors", () => {
    const error = new AuthError("no")
    const { reference } = error
    expect(reference).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{2}$/)
    expect(error.reference).toBe(reference)
    const many = new Set(Array.from({ length: 50 }, () => new AuthError("no").reference))
    expect(many.size).toBeGreaterThan(48)
  })

  it("does not enumerate its name and reference", () => {
    expect(Object.keys(new AuthError("no")).sort()).toEqual(["type"])
  })
})

describe("the status of an error that an app does not catch", () => {
  it.each([
    [new errors.CredentialsSignin(), 401],
    [new errors.AccessDenied(), 403],
    [new errors.MissingCSRF(), 403],
    [new errors.TooManyRequests(), 429],
    [new errors.FreshnessRequired(), 403],
    [new errors.CodeWrong(), 400],
    [new errors.CodeSpent(), 400],
    [new errors.EmailSignInError(), 400],
    [new errors.EmailSignInError("The email could not be sent", { concerns: "provider" }), 500],
  ])("of %s is %s", (error, status) => {
    expect(error.status).toBe(status)
  })
})

describe("a subclass of an app", () => {
  it("can set its own code", () => {
    class WrongCode extends errors.CredentialsSignin {
      override code = "wrong-code"
    }
    expect(new errors.CredentialsSignin().code).toBe("credentials")
    expect(new WrongCode("no")).toMatchObject({ code: "wrong-code", type: "CredentialsSignin", kind: "signIn" })
  })

  it("keeps its own static type and kind, and is shown like its base class otherwise", () => {
    class Locked extends errors.CredentialsSignin {
      static override readonly type = "Locked"
      static override readonly kind = "error"
    }
    class Refused extends AuthError {
      static override readonly type = "Refused"
      static override readonly kind = "signIn"
    }
    class Plain extends AuthError {}
    class Deep extends Locked {}
    expect(new Locked("no")).toMatchObject({ type: "Locked", name: "Locked", kind: "error" })
    expect(getErrorPage(new Locked("no"))).toEqual({ ...errorPages.CredentialsSignin, page: "error" })
    expect(new Deep("no")).toMatchObject({ type: "Locked", kind: "error" })
    expect(new Refused("no")).toMatchObject({ type: "Refused", kind: "signIn" })
    expect(getErrorPage(new Refused("no"))).toEqual({ ...errorPages.AuthError, page: "signIn" })
    expect(new Plain("no")).toMatchObject({ type: "AuthError", kind: "error" })
  })

  it("can set its own name, like that of any error", () => {
    class Locked extends errors.CredentialsSignin {
      constructor() {
        super("locked")
        this.name = "Locked"
      }
    }
    class Expired extends errors.CredentialsSignin {
      override name = "Expired"
    }
    expect(String(new Locked())).toBe("Locked: locked")
    expect(String(new Expired("late"))).toBe("Expired: late")
    expect(new Locked().type).toBe("CredentialsSignin")
  })
})

describe("InvalidRequest", () => {
  it("has the status 400 by default, or the given one", () => {
    expect(new errors.InvalidRequest("no").status).toBe(400)
    expect(new errors.InvalidRequest("too large", 413).status).toBe(413)
  })
})

/** Errors that visitors see; all others are failures of the service. */
const shown: Readonly<Record<string, string>> = {
  AccessDenied: "error",
  AccountNotLinked: "signIn",
  CodeSpent: "signIn",
  CodeWrong: "verifyRequest",
  CredentialsSignin: "signIn",
  EmailSignInError: "signIn",
  FreshnessRequired: "signIn",
  HeldExpired: "signIn",
  MissingCSRF: "signIn",
  OAuthAccountNotLinked: "signIn",
  OAuthCallbackError: "signIn",
  OAuthSignInError: "signIn",
  SecondFactorWrong: "signIn",
  TooManyRequests: "signIn",
  Verification: "error",
  WebAuthnVerificationError: "error",
}
/** Types with another public code in the contract. */
const renamed: Readonly<Record<string, string>> = {
  CodeSpent: "Verification",
  EmailSignInError: "EmailSignin",
  FreshnessRequired: "SessionRequired",
  HeldExpired: "SessionRequired",
  OAuthSignInError: "OAuthSignin",
  SecondFactorWrong: "SessionRequired",
}

describe("getErrorPage", () => {
  it.each(Object.entries(errors))("returns the page and code of %s", (name, AnyError) => {
    const page = shown[name]
    const expected = page ? { page, error: renamed[name] ?? name } : { page: "error", error: "Configuration" }
    const { concerns, ...errorPage } = getErrorPage(new AnyError("x"))
    expect(errorPage).toEqual(expected)
    expect(failureKinds).toContain(concerns)
  })

  it("has an entry for every class and no others", () => {
    expect(Object.keys(errorPages).sort()).toEqual(Object.keys(errors).sort())
    expect(Object.keys(statuses).sort()).toEqual(Object.keys(errors).sort())
    for (const status of Object.values(statuses)) expect((status >= 400 && status <= 500) || status === 503).toBe(true)
  })

  it.each([
    "DuplicateConditionalUI",
    "ErrorPageLoop",
    "ExperimentalFeatureNotEnabled",
    "InvalidConfiguration",
    "InvalidEndpoints",
    "MissingAdapter",
    "MissingAdapterMethods",
    "MissingAuthorize",
    "MissingSecret",
    "MissingWebAuthnAutocomplete",
    "UnsupportedStrategy",
  ] as const)("logs %s as a configuration failure", (name) => {
    expect(getErrorPage(new classes[name]("x")).concerns).toBe("config")
  })

  it.each([null, ...["Own", "", "toString", "__proto__"].map((type) => Object.assign(new AuthError("x"), { type }))])(
    "reveals nothing about an unknown error",
    (error) => {
      expect(getErrorPage(error)).toEqual({ page: "error", error: "Configuration", concerns: "service" })
    },
  )
})

it("toError returns an error as it is, and does not repeat any other thrown value", () => {
  const error = new TypeError("x")
  expect(toError(error)).toBe(error)
  for (const thrown of ["hunter2", { message: "hunter2" }, undefined, null, Symbol("hunter2")]) {
    expect(toError(thrown)).toBeInstanceOf(Error)
    expect(toError(thrown).message).toBe(`A value of type ${typeof thrown} was thrown`)
  }
})
