import { describe, expect, it } from "vitest"
import { actionSetup, cred, oidc } from "../../test/action-setup.js"
import { failureOf } from "../../test/failure-of.js"
import { visitTo } from "../../test/visits.js"
import type { ResolvedProvider } from "../config/resolved-provider.js"
import type { SignInMethod } from "../signin/method.js"
import { offerWebAuthnOptions } from "./webauthn-options.js"

const key = (id: string): ResolvedProvider => ({ id, name: "Passkey", type: "webauthn" })
const offered = { body: { kind: "json", value: { action: "authenticate" } } } as const

/** The action with a method that has options for providers of type `webauthn`. */
async function ask(path: string, providers: readonly ResolvedProvider[]) {
  const { needs } = actionSetup()
  const offering = {
    offerOptions: async (_, provider) => ({ ...offered, headers: { id: provider.id } }),
  } as Partial<SignInMethod>
  const methodOf: typeof needs.methodOf = async (provider) => {
    const method = await needs.methodOf({ ...cred, id: provider.id })
    return provider.type === "webauthn" ? { ...method, ...offering } : method
  }
  const known = new Map(providers.map((provider) => [provider.id, provider]))
  return offerWebAuthnOptions(await visitTo(path), { ...needs, providers: known, methodOf })
}

describe("GET /webauthn-options", () => {
  it.each([
    ["/auth/webauthn-options/oidc", "a provider of another type"],
    ["/auth/webauthn-options/cred", "a provider of another type"],
    ["/auth/webauthn-options/nobody", "a provider that there is none of"],
    ["/auth/webauthn-options", "no provider where none has options"],
  ])("refuses %s: %s", async (path) => {
    const { act } = actionSetup({ providers: [oidc, cred] })
    expect((await failureOf(act(path))).error.type).toBe("InvalidProvider")
  })

  it("refuses to choose between two providers", async () => {
    const asking = ask("/auth/webauthn-options", [key("a"), key("b")])
    expect((await failureOf(asking)).error.type).toBe("InvalidProvider")
  })

  it("offers the options of the provider in the path, or of the only one that has some", async () => {
    const providers = [cred, key("a"), key("b")]
    const chosen = await ask("/auth/webauthn-options/b", providers)
    const only = await ask("/auth/webauthn-options", [cred, key("a")])
    expect([chosen.headers?.["id"], only.headers?.["id"]]).toEqual(["b", "a"])
    expect(chosen).toMatchObject({ ...offered, headers: { "cache-control": "private, no-cache, no-store" } })
  })
})
