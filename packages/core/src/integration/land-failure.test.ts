import { describe, expect, it } from "vitest"
import { AuthError } from "../errors/auth-error.js"
import { CredentialsSignin, EmailSignInError, MissingCSRF, TooManyRequests, UntrustedHost } from "../errors/errors.js"
import { errorPageUrl } from "./land-failure.js"
import { type HostConfig, settingsOf } from "./settings.js"

function stage(changes: Partial<HostConfig> = {}) {
  const logged: string[] = []
  const logger = { error: ({ name }: Error) => void logged.push(name), warn: () => {}, debug: () => {} }
  const settings = settingsOf({ providers: [], basePath: "/auth", logger, ...changes }, { env: {} })
  return { settings, logged }
}

describe("the page on which a failure lands", () => {
  class LockedOut extends CredentialsSignin {
    override code = "locked-out"
  }

  it.each([
    ["a refused password", new LockedOut(), "/auth/signin?error=CredentialsSignin&code=locked-out&callbackUrl=%2Fin"],
    ["a mail that was not sent", new EmailSignInError("x"), "/auth/signin?error=EmailSignin&callbackUrl=%2Fin"],
    ["a form of another site", new MissingCSRF("x"), "/auth/signin?error=MissingCSRF&callbackUrl=%2Fin"],
    [
      "a spent budget",
      new TooManyRequests("x", { retryAfterSeconds: 9 }),
      "/auth/signin?error=TooManyRequests&callbackUrl=%2Fin",
    ],
    ["a fault of the service", new AuthError("the inner side"), "/auth/error?error=Configuration"],
  ])("is for %s the one of the endpoints", (_, error, expected) => {
    expect(errorPageUrl(error, stage().settings, "/in")).toBe(expected)
  })

  it("is the host's own page where there is one", () => {
    const { settings } = stage({ pages: { signIn: "/login?a=1", error: "/oops" } })
    expect(errorPageUrl(new CredentialsSignin(), settings)).toBe("/login?a=1&error=CredentialsSignin&code=credentials")
    expect(errorPageUrl(new AuthError("x"), settings)).toBe("/oops?error=Configuration")
  })

  it("tells the log, once for each failure", () => {
    const { settings, logged } = stage()
    for (const error of [new CredentialsSignin(), new UntrustedHost("x"), new AuthError("x")])
      errorPageUrl(error, settings)
    expect(logged).toEqual(["CredentialsSignin"])
  })

  it("is none for what is not the service's: that is the host's", () => {
    const bug = new TypeError("x")
    expect(() => errorPageUrl(bug, stage().settings)).toThrow(bug)
  })
})
