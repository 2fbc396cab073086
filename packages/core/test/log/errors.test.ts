import { AuthError, CredentialsSignin } from "@latchkey/core"
import * as exported from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get, post } from "../setup/requests.js"
import { passwordProvider, pathOfPage } from "../setup/sign-ins.js"

/** A host with a `signIn` callback that throws this error. */
const openThrowing = (error: Error, pages = {}) =>
  openHost({
    providers: [passwordProvider()],
    pages,
    callbacks: {
      signIn: () => {
        throw error
      },
    },
  })
const { findErrorReason: _, ...errors } = exported
/** The classes that `@latchkey/core/errors` exports, by name. */
const classes = new Map(Object.entries(errors))

function classOf(name: string): new (message: string) => AuthError {
  return classes.get(name) ?? expect.unreachable(`no class ${name}`)
}

const right = { u: "v", p: "right" }

describe("the page of an error", () => {
  it.each([
    ["CredentialsSignin", "/auth/signin?error=CredentialsSignin&code=credentials"],
    ["OAuthAccountNotLinked", "/auth/signin?error=OAuthAccountNotLinked"],
    ["OAuthCallbackError", "/auth/signin?error=OAuthCallbackError"],
    ["MissingCSRF", "/auth/signin?error=MissingCSRF"],
    ["AccountNotLinked", "/auth/signin?error=AccountNotLinked"],
    ["OAuthSignInError", "/auth/signin?error=OAuthSignin"],
    ["EmailSignInError", "/auth/signin?error=EmailSignin"],
    ["AccessDenied", "/auth/error?error=AccessDenied"],
    ["Verification", "/auth/error?error=Verification"],
    ["WebAuthnVerificationError", "/auth/error?error=WebAuthnVerificationError"],
    ["AdapterError", "/auth/error?error=Configuration"],
    ["CallbackRouteError", "/auth/error?error=Configuration"],
    ["InvalidCheck", "/auth/error?error=Configuration"],
    ["InvalidProvider", "/auth/error?error=Configuration"],
    ["OAuthProfileParseError", "/auth/error?error=Configuration"],
    ["SessionTokenError", "/auth/error?error=Configuration"],
    ["UnknownAction", "/auth/error?error=Configuration"],
    ["AuthError", "/auth/error?error=Configuration"],
  ] as const)("LOG-05: %s ends on %s, and is logged once", async (name, path) => {
    const error = new (classOf(name))("db password hunter2 at /srv/app/secret.ts")
    const host = openThrowing(error)
    const answer = await post(host.browser, "/auth/callback/cred", right)
    expect([answer.status, answer.location]).toEqual([302, `https://app.test${path}`])
    expect(host.logger.errors).toEqual([error])
    expect(error.type).toBe(name)
    expect(JSON.stringify([...answer.headers, answer.text])).not.toMatch(/hunter2|srv/)
  })

  it.each(["token-fails", "userinfo-fails"] as const)(
    "a provider that answers 500 (%s) ends in Configuration, and the log has the status",
    async (fault) => {
      const host = openHost({ providers: ({ idp }) => [idp.provider({ idToken: fault !== "userinfo-fails" })] })
      host.idp.faults.turnOn(fault)
      expect(pathOfPage(await host.browser.signIn("oidc"))).toBe("/auth/error?error=Configuration")
      expect(host.logger.errors).toMatchObject([
        { type: "CallbackRouteError", cause: { provider: "oidc", err: { status: 500 } } },
      ])
    },
  )

  it("any other error of the signIn callback is AccessDenied, with the original as its cause", async () => {
    const original = new Error("the quota is used up")
    const host = openThrowing(original)
    const answer = await post(host.browser, "/auth/callback/cred", right)
    expect(answer.location).toBe("https://app.test/auth/error?error=AccessDenied")
    expect(host.logger.errorTypes()).toEqual(["AccessDenied"])
    expect(host.logger.errors[0]?.message).toMatch(/^the quota is used up/)
    expect(host.logger.errors[0]?.cause).toMatchObject({ err: original })
  })

  it("CRED-03: a custom code is encoded as one value", async () => {
    class Locked extends CredentialsSignin {
      override code = "x&callbackUrl=https://evil.test"
    }
    const answer = await post(openThrowing(new Locked()).browser, "/auth/callback/cred", right)
    const { searchParams } = new URL(answer.location ?? "")
    expect([...searchParams.keys()]).toEqual(["error", "code"])
    expect(searchParams.get("code")).toBe("x&callbackUrl=https://evil.test")
  })

  it.each([
    [new errors.MissingCSRF("no"), { signIn: "/login" }, "https://app.test/login?error=MissingCSRF"],
    [new errors.MissingCSRF("no"), { signIn: "/login?x=1" }, "https://app.test/login?x=1&error=MissingCSRF"],
    [new errors.AccessDenied("no"), { error: "/oops" }, "https://app.test/oops?error=AccessDenied"],
    [new AuthError("no"), { error: "/oops?x=1" }, "https://app.test/oops?x=1&error=Configuration"],
  ])("%s redirects to the app's page %o", async (error, pages, location) => {
    const answer = await post(openThrowing(error, pages).browser, "/auth/callback/cred", right)
    expect([answer.status, answer.location]).toEqual([302, location])
  })

  it("shows the reference that is in the log", async () => {
    const host = openThrowing(new errors.CallbackRouteError("no"))
    await host.browser.signIn("cred", right)
    const [error] = host.logger.errors
    expect(error).toBeInstanceOf(AuthError)
    expect(host.browser.page?.text()).toContain(Object(error).reference)
  })

  it("LOG-06: a throwing logger does not affect the reply", async () => {
    const host = openHost({
      providers: [],
      logger: {
        error: () => {
          throw new Error("the disk is full")
        },
      },
    })
    const answer = await get(host.browser, "/auth/callback")
    expect(answer.location).toBe("https://app.test/auth/error?error=Configuration")
  })
})

describe("GET /error", () => {
  it.each(["<script>alert(1)</script>", '"><img src=x onerror=1>', "javascript:1", "&lt;script&gt;", "\u202eevil"])(
    "PAGE-03: shows a general text for %s and not the text itself",
    async (error) => {
      const { browser } = openHost()
      for (const page of ["error", "signin"]) {
        const answer = await get(browser, `/auth/${page}?error=${encodeURIComponent(error)}`)
        const general = await get(browser, `/auth/${page}?error=Unheard`)
        expect([answer.status, answer.text]).toEqual([general.status, general.text])
        expect(answer.text).not.toContain(error)
      }
    },
  )

  it("URL-12: allows no header injection in the redirect to the app's page", async () => {
    const { browser } = openHost({ pages: { error: "/err" } })
    const answer = await get(browser, "/auth/error?error=%0d%0aLocation:https://evil.test%0d%0aSet-Cookie:a=b")
    expect([answer.status, answer.cookies.has("a")]).toEqual([302, false])
    expect(answer.location).toMatch(/^\/err\?error=[\x21-\x7e]*$/)
    expect(new URL(answer.location ?? "", "https://app.test").origin).toBe("https://app.test")
  })

  it("URL-13: redirects to the app's page with an ASCII URL", async () => {
    const answer = await get(openHost({ pages: { error: "/err" } }).browser, "/auth/error?error=%E2%82%AC")
    expect([answer.status, answer.location]).toEqual([302, "/err?error=%E2%82%AC"])
  })

  it("URL-14: redirects to the app's page with a single parameter", async () => {
    const { browser } = openHost({ pages: { error: "/err" } })
    const answer = await get(browser, "/auth/error?error=x%26callbackUrl=https://evil.test%23")
    const { searchParams, hash } = new URL(answer.location ?? "", "https://app.test")
    expect([...searchParams.keys(), hash]).toEqual(["error", ""])
  })
})
