import { describe, expect, it, vi } from "vitest"
import { resolveConfig } from "../config/resolve-config.js"
import type { AuthConfig } from "../contract/config.js"
import { skipCSRFCheck } from "../contract/markers.js"
import { createLog } from "../log/log.js"
import { warnAbout } from "./warn-about.js"

const oidc = { id: "idp", name: "I", type: "oidc", issuer: "https://idp.test" } as const
const secret = "a secret of at least thirty-two characters"

function warningsOf(...configs: readonly Partial<AuthConfig>[]): readonly unknown[] {
  const warn = vi.fn()
  for (const config of configs) {
    warnAbout(resolveConfig({ providers: [], secret, ...config }, { isProduction: false }), createLog({ warn }))
  }
  return warn.mock.calls.flat()
}

describe("warnAbout", () => {
  it.each<[string, Partial<AuthConfig>]>([
    ["debug-enabled", { debug: true }],
    ["experimental-webauthn", { experimental: { enableWebAuthn: true } }],
    ["short-secret", { secret: "s".repeat(31) }],
    ["short-secret", { secret: [secret, "short"] }],
    ["short-secret", { jwt: { secret: "short" } }],
    ["weak-secret", { secret: "s".repeat(64) }],
    ["weak-secret", { jwt: { secret: "changeme-changeme-changeme-changeme" } }],
    ["csrf-disabled", { skipCSRFCheck }],
    ["checks-none", { providers: [{ ...oidc, checks: ["none"] }] }],
    ["email-linking-enabled", { providers: [{ ...oidc, allowDangerousEmailAccountLinking: true }] }],
  ])("CONF-09: says %s once", (code, config) => {
    expect(warningsOf(config, config)).toEqual([code])
  })

  it("CONF-09: says each of several", () => {
    const provider = { ...oidc, checks: ["none"], allowDangerousEmailAccountLinking: true } as const
    expect(warningsOf({ debug: true, providers: [provider, { ...provider, id: "other" }] })).toEqual([
      "debug-enabled",
      "checks-none",
      "email-linking-enabled",
    ])
  })

  it("says nothing of what weakens nothing", () => {
    const credentials = { id: "c", name: "C", type: "credentials", authorize: () => null } as const
    expect(warningsOf({ providers: [oidc, credentials], debug: false })).toEqual([])
  })
})
