import Passkey from "@latchkey/core/providers/passkey"
import WebAuthn from "@latchkey/core/providers/webauthn"
import type { AuthConfig, WebAuthnUserConfig } from "@latchkey/core/types"
import { memoryAdapter, type TestHostOptions } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask } from "../setup/requests.js"

const passkey = (options: object) => ({ providers: [Passkey(options as WebAuthnUserConfig)] }) // as: invalid values too.

describe("a configuration with passkeys", () => {
  it.each<[string, AuthConfig["experimental"]]>([
    ["absent", undefined],
    ["empty", {}],
    ["true", { enableWebAuthn: true }],
    ["false", { enableWebAuthn: false }],
  ])("works with enableWebAuthn %s", async (_, experimental) => {
    const host = openHost({ providers: [Passkey()], ...(experimental && { experimental }), adapter: memoryAdapter() })
    expect((await ask(host, "/auth/webauthn-options/passkey?action=authenticate")).status).toBe(200)
    expect(host.logger.errorTypes()).toEqual([])
  })

  it("WAN-01: offers no passkeys without a provider for them, even with enableWebAuthn", async () => {
    const host = openHost({ experimental: { enableWebAuthn: true }, adapter: memoryAdapter() })
    for (const path of ["webauthn-options", "webauthn-options/passkey", "webauthn-options/test"]) {
      const answer = await ask(host, `/auth/${path}?action=authenticate`)
      expect([answer.status, answer.text]).not.toEqual([200, expect.stringContaining("challenge")])
    }
    expect((await ask(host, "/auth/callback/passkey", { method: "POST" })).status).not.toBe(200)
  })

  it.each<[string, string, TestHostOptions]>([
    ["a version that is none", "AuthError", passkey({ simpleWebAuthnBrowserVersion: "latest" })],
    ["a version without a v", "AuthError", passkey({ simpleWebAuthnBrowserVersion: "14.0.0" })],
    ["two providers with conditional UI", "DuplicateConditionalUI", { providers: [Passkey(), WebAuthn()] }],
    [
      "conditional UI without a field for it",
      "MissingWebAuthnAutocomplete",
      passkey({ formFields: { email: { autocomplete: "username" } } }),
    ],
    ["a relying party with a scheme", "InvalidConfiguration", passkey({ relayingParty: { id: "https://app.test" } })],
    ["an origin with a path", "InvalidConfiguration", passkey({ relayingParty: { origin: "https://app.test/" } })],
    [
      "an adapter that keeps no authenticators",
      "MissingAdapterMethods",
      {
        ...passkey({}),
        adapter: { ...memoryAdapter(), ...{ getAuthenticator: undefined } } as never, // as: possible in plain JavaScript.
      },
    ],
  ])("is rejected with %s", async (what, type, options) => {
    // A key counts as present, so the method has to be left out.
    const { getAuthenticator: _, ...incomplete } = memoryAdapter()
    const host = openHost(what.startsWith("an adapter") ? { ...options, adapter: incomplete } : options)
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual([type])
  })

  it.each<[string, TestHostOptions]>([
    [
      "two providers, one of them without conditional UI",
      { providers: [Passkey(), WebAuthn({ enableConditionalUI: false })] },
    ],
    ["a version of one number", passkey({ simpleWebAuthnBrowserVersion: "v14" })],
    ["no version", passkey({ simpleWebAuthnBrowserVersion: false })],
    [
      "several relying parties",
      passkey({ relayingParty: { id: ["app.test", "corp.test"], origin: ["https://app.test"] } }),
    ],
  ])("works with %s", async (_, options) => {
    const host = openHost(options)
    expect((await ask(host, "/auth/session")).status).toBe(200)
    expect(host.logger.errors).toEqual([])
  })

  it("does not warn: passkeys are finished", async () => {
    const host = openHost(passkey({}))
    await ask(host, "/auth/session")
    expect(host.logger.warnings).toEqual([])
  })
})
