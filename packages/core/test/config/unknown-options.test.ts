import type { TestHostOptions } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask } from "../setup/requests.js"

const misspelled = { session: { maxage: 60 }, colour: "red" } as TestHostOptions

describe("a configuration with unknown options", () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it("is served, and the log names each of them once", async () => {
    const host = openHost(misspelled)
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    await vi.waitFor(() => expect(host.logger.warnings).toEqual(["option-unknown", "option-unknown"]))
    expect(host.logger.warningDetails).toEqual([
      "session.maxage: unknown option. Did you mean session.maxAge?",
      "colour: unknown option",
    ])
    expect(host.logger.errors).toEqual([])
  })

  it("is not examined in production", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const host = openHost({ ...misspelled, rateLimit: false })
    expect((await ask(host, "/auth/session")).status).toBe(200)
    await import("../../src/config/unknown-options.js")
    expect(host.logger.warnings).toEqual([])
  })
})
