import { describe, expect, it } from "vitest"
import { actionSetup, cred, oidc } from "../../test/setup/action-setup.js"
import { failureOf } from "../../test/setup/failure-of.js"
import { authRequestTo } from "../../test/setup/requests.js"
import { noStore } from "../http/response.js"
import type { SignInSteps } from "../methods/steps.js"
import { WebAuthn } from "../providers/webauthn.js"
import { skipCSRFCheck } from "../types/basics.js"
import type { ResolvedProvider } from "../types/resolved.js"
import { offerWebAuthnOptions } from "./signin.js"

const caching = { "cache-control": "private, no-cache, no-store", expires: "0", pragma: "no-cache" }

describe("GET /csrf", () => {
  it("returns the same token to the same browser, and sets its cookie once", async () => {
    const { act, browser } = actionSetup()
    const first = await act("/auth/csrf")
    expect(first).toMatchObject({
      body: { kind: "json", value: { csrfToken: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      headers: caching,
    })
    expect(browser.names()).toEqual(["__Host-authjs.csrf-token"])
    expect(await act("/auth/csrf")).toEqual({ ...first, cookies: [] })
  })

  it("CSRF-15: answers 404 with skipCSRFCheck, clears the cookie and warns", async () => {
    const { act, logger } = actionSetup({ skipCSRFCheck })
    const { status, body, cookies } = await act("/auth/csrf")
    expect([status, body]).toEqual([404, undefined])
    expect(cookies).toMatchObject([{ name: "__Host-authjs.csrf-token", value: "", options: { maxAge: 0 } }])
    expect(logger.warnings).toEqual(["csrf-disabled"])
  })

  it.each([true, "skip", {}, Symbol("skip"), 1])(
    "CSRF-15: is not turned off by %s instead of the symbol",
    async (fake) => {
      const { act } = actionSetup({ skipCSRFCheck: fake as typeof skipCSRFCheck })
      expect((await act("/auth/csrf")).status).toBeUndefined()
    },
  )
})

describe("GET /providers", () => {
  it("PAGE-10: lists the public fields in the configured order, without a cookie, for no cache", async () => {
    const { act } = actionSetup({ providers: [{ ...cred, id: "zeta" }, oidc] })
    const reply = await act("/auth/providers")
    const url = (path: string) => `https://app.test/auth/${path}`
    const expected = {
      zeta: {
        id: "zeta",
        name: "Password",
        type: "credentials",
        signinUrl: url("signin/zeta"),
        callbackUrl: url("callback/zeta"),
      },
      oidc: {
        id: "oidc",
        name: "Identity",
        type: "oidc",
        signinUrl: url("signin/oidc"),
        callbackUrl: url("callback/oidc"),
      },
    }
    expect(reply).toStrictEqual({ headers: noStore, body: { kind: "json", value: expected } })
    expect(JSON.stringify(reply).indexOf("zeta")).toBeLessThan(JSON.stringify(reply).indexOf("oidc"))
    expect(JSON.stringify(reply)).not.toContain("secret")
  })

  it("returns an empty object without providers", async () => {
    const reply = await actionSetup({ providers: [] }).act("/auth/providers")
    expect(reply.body).toEqual({ kind: "json", value: {} })
  })
})

const key = (id: string): ResolvedProvider => ({ ...WebAuthn(), id, name: "Passkey" })
const offered = { body: { kind: "json", value: { action: "authenticate" } } } as const

/** The action with a method that has options for providers of type `webauthn`. */
async function ask(path: string, providers: readonly ResolvedProvider[]) {
  const { context } = actionSetup()
  const offering: Pick<SignInSteps, "offerOptions"> = {
    offerOptions: async (_, provider) => ({ ...offered, headers: { id: provider.id } }),
  }
  const loadSteps: typeof context.loadSteps = async (provider) => {
    const steps = await context.loadSteps({ ...cred, id: provider.id })
    return provider.type === "webauthn" ? { ...steps, ...offering } : steps
  }
  const known = new Map(providers.map((provider) => [provider.id, provider]))
  return offerWebAuthnOptions(await authRequestTo(path), {
    ...context,
    providers: known,
    findProvider: (id = "") => known.get(id),
    loadSteps,
  })
}

describe("GET /webauthn-options", () => {
  it.each([
    ["/auth/webauthn-options/oidc", "a provider of another type"],
    ["/auth/webauthn-options/cred", "a provider of another type"],
    ["/auth/webauthn-options/nobody", "a provider that there is none of"],
    ["/auth/webauthn-options", "no provider where none has options"],
  ])("rejects %s: %s", async (path) => {
    const { act } = actionSetup({ providers: [oidc, cred] })
    expect((await failureOf(act(path))).error.type).toBe("InvalidProvider")
  })

  it("requires a provider id if two providers have options", async () => {
    const asking = ask("/auth/webauthn-options", [key("a"), key("b")])
    expect((await failureOf(asking)).error.type).toBe("InvalidProvider")
  })

  it("returns the options of the provider in the path, or of the only one that has any", async () => {
    const providers = [cred, key("a"), key("b")]
    const chosen = await ask("/auth/webauthn-options/b", providers)
    const only = await ask("/auth/webauthn-options", [cred, key("a")])
    expect([chosen.headers?.["id"], only.headers?.["id"]]).toEqual(["b", "a"])
    expect(chosen).toMatchObject({ ...offered, headers: { "cache-control": "private, no-cache, no-store" } })
  })
})
