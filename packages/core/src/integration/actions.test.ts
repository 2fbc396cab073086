import { describe, expect, it } from "vitest"
import { AuthError } from "../errors/auth-error.js"
import { CredentialsSignin, EmailSignInError, MissingCSRF, TooManyRequests, UntrustedHost } from "../errors/errors.js"
import { errorPageUrl, readSignInForm } from "./actions.js"
import { type HostConfig, settingsOf } from "./config.js"

describe("errorPageUrl", () => {
  class LockedOut extends CredentialsSignin {
    override code = "locked-out"
  }

  function setUp(changes: Partial<HostConfig> = {}) {
    const logged: string[] = []
    const logger = { error: ({ name }: Error) => void logged.push(name), warn: () => {}, debug: () => {} }
    const settings = settingsOf({ providers: [], basePath: "/auth", logger, ...changes }, { env: {} })
    return { settings, logged }
  }

  it.each([
    ["a rejected password", new LockedOut(), "/auth/signin?error=CredentialsSignin&code=locked-out&callbackUrl=%2Fin"],
    ["an email that was not sent", new EmailSignInError("x"), "/auth/signin?error=EmailSignin&callbackUrl=%2Fin"],
    ["a form of another site", new MissingCSRF("x"), "/auth/signin?error=MissingCSRF&callbackUrl=%2Fin"],
    [
      "a rate limit",
      new TooManyRequests("x", { retryAfterSeconds: 9 }),
      "/auth/signin?error=TooManyRequests&callbackUrl=%2Fin",
    ],
    ["an internal error", new AuthError("a detail for the log"), "/auth/error?error=Configuration"],
  ])("returns the same page as the endpoints for %s", (_, error, expected) => {
    expect(errorPageUrl(error, setUp().settings, "/in")).toBe(expected)
  })

  it("returns the host's own page if one is configured", () => {
    const { settings } = setUp({ pages: { signIn: "/login?a=1", error: "/oops" } })
    expect(errorPageUrl(new CredentialsSignin(), settings)).toBe("/login?a=1&error=CredentialsSignin&code=credentials")
    expect(errorPageUrl(new AuthError("x"), settings)).toBe("/oops?error=Configuration")
  })

  it("logs each failure once", () => {
    const { settings, logged } = setUp()
    for (const error of [new CredentialsSignin(), new UntrustedHost("x"), new AuthError("x")])
      errorPageUrl(error, settings)
    expect(logged).toEqual(["CredentialsSignin"])
  })

  it("rethrows errors of the host", () => {
    const bug = new TypeError("x")
    expect(() => errorPageUrl(bug, setUp().settings)).toThrow(bug)
  })
})

describe("readSignInForm", () => {
  const empty = { providerId: undefined, redirectTo: undefined, fields: {}, authorizationParams: {} }

  function formOf(...fields: readonly (readonly [string, string | Blob])[]): FormData {
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    return form
  }

  it("drops files and treats empty fields as absent", () => {
    expect(readSignInForm(formOf(["providerId", ""], ["redirectTo", ""], ["photo", new Blob(["x"])]))).toEqual(empty)
    expect(readSignInForm(undefined)).toEqual(empty)
  })

  it("keeps fields that are named like object members", () => {
    const { fields } = readSignInForm(formOf(["__proto__", "a"], ["constructor", "b"]))
    expect(Object.entries(fields ?? {})).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ])
  })

  it("separates provider, redirect, parameters and fields; the last of several values wins", () => {
    const form = formOf(
      ["providerId", "harbour"],
      ["redirectTo", "/in"],
      ["authorizationParams-login_hint", "ada"],
      ["email", "first@example.com"],
      ["email", "last@example.com"],
    )
    expect(readSignInForm(form)).toEqual({
      providerId: "harbour",
      redirectTo: "/in",
      authorizationParams: { login_hint: "ada" },
      fields: { email: "last@example.com" },
    })
  })
})
