import { describe, expect, it } from "vitest"
import { Auth } from "../auth.js"
import { AuthError } from "../errors/auth-error.js"
import { CredentialsSignin, EmailSignInError, MissingCSRF, TooManyRequests, UntrustedHost } from "../errors/errors.js"
import { serializeCookie } from "../http/cookies.js"
import { readSignInForm, signIn, signOut, toErrorAnswer } from "./actions.js"
import { type HostConfig, settingsOf } from "./config.js"
import { readSession } from "./handler.js"

const development = { NODE_ENV: "development" }
const caller = { headers: new Headers({ host: "app.test" }), protocol: "http" } as const

describe("toErrorAnswer", () => {
  class LockedOut extends CredentialsSignin {
    override code = "locked-out"
  }

  function setUp(changes: Partial<HostConfig> = {}) {
    const logged: string[] = []
    const logger = { error: ({ name }: Error) => void logged.push(name), warn: () => {}, debug: () => {} }
    const settings = settingsOf({ providers: [], basePath: "/auth", logger, ...changes }, { env: development })
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
    expect(toErrorAnswer(error, caller, setUp().settings, "/in").url).toBe(expected)
  })

  it("returns the app's own page if one is configured", () => {
    const { settings } = setUp({ pages: { signIn: "/login?a=1", error: "/oops" } })
    expect(toErrorAnswer(new CredentialsSignin(), caller, settings).url).toBe(
      "/login?a=1&error=CredentialsSignin&code=credentials",
    )
    expect(toErrorAnswer(new AuthError("x"), caller, settings).url).toBe("/oops?error=Configuration")
  })

  it("logs each failure once", () => {
    const { settings, logged } = setUp()
    for (const error of [new CredentialsSignin(), new UntrustedHost("x"), new AuthError("x")])
      toErrorAnswer(error, caller, settings)
    expect(logged).toEqual(["CredentialsSignin"])
  })

  it("passes the reference of the failure to the error page", async () => {
    const { settings } = setUp({ secret: "a secret of at least thirty-two characters", trustHost: true })
    const error = new AuthError("The mail server is down")
    const { url, cookies } = toErrorAnswer(error, caller, settings)
    expect(cookies.map(({ value }) => value)).toEqual([`${error.reference}:Configuration::`])
    const cookie = cookies.map((one) => serializeCookie(one).split(";", 1)[0]).join()
    const page = await Auth(new Request(`http://localhost${url}`, { headers: { cookie } }), settings.config)
    expect(await page.text()).toContain("The mail server is down")
  })

  it("rethrows errors of the app", () => {
    const bug = new TypeError("x")
    expect(() => toErrorAnswer(bug, caller, setUp().settings)).toThrow(bug)
  })
})

describe("signIn and signOut", () => {
  const idp = { authorization: "https://idp.test/a", token: "https://idp.test/t", userinfo: "https://idp.test/u" }
  const provider = { id: "idp", name: "Identity", type: "oauth", clientId: "rp", clientSecret: "s", ...idp } as const
  const config: HostConfig = {
    providers: [{ ...provider, profile: () => ({ id: "1" }) }],
    secret: "a secret of at least thirty-two characters",
    trustHost: true,
    basePath: "/auth",
    logger: { error: () => {}, warn: () => {}, debug: () => {} },
  }
  const settings = settingsOf(config, { env: {} })

  it.each(["GET", "HEAD"])("CSRF-01: refuse to act for a %s request, which any link can cause", async (method) => {
    const link = { ...caller, method }
    const attempt = signIn(link, settings, { providerId: "idp" })
    await expect(attempt).rejects.toThrow(/signIn was called for a (?:GET|HEAD) request/)
    await expect(attempt).rejects.toBeInstanceOf(MissingCSRF)
    await expect(signOut(link, settings)).rejects.toBeInstanceOf(MissingCSRF)
  })

  it("lead a GET request without a provider to the sign-in page", async () => {
    const { url, cookies } = await signIn({ ...caller, method: "GET" }, settings, { redirectTo: "/in" })
    expect([url, cookies]).toEqual(["http://app.test/auth/signin?callbackUrl=%2Fin", []])
  })

  it("act for a POST request", async () => {
    const { url, cookies } = await signIn({ ...caller, method: "POST" }, settings, { providerId: "idp" })
    expect([URL.parse(url)?.origin, cookies.length > 0]).toEqual(["https://idp.test", true])
  })
})

describe("readSession", () => {
  it("names an invalid configuration during development, and not in production", async () => {
    const config: HostConfig = { providers: [], secret: "", logger: { error: () => {} } }
    const inDevelopment = settingsOf(config, { env: development })
    await expect(readSession(caller, inDevelopment)).rejects.toThrow(/^The session could not be read: .*secret/)
    await expect(readSession(caller, settingsOf({ ...config }, { env: {} }))).rejects.toThrow(
      "the service answered 500. The log has the cause",
    )
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
