import Passkey from "@latchkey/core/providers/passkey"
import {
  memoryAdapter,
  type SoftwareAuthenticator,
  softwareAuthenticator,
  type TestHost,
  testHost,
} from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createAuthClient } from "../src/index.js"
import { softwareCredentials } from "./software-credentials.js"

// The passkey client against the real service, with a software authenticator.

const email = "ada@app.test"

describe.each(["jwt", "database"] as const)("passkeys with the session strategy %s", (strategy) => {
  let host: TestHost
  let device: SoftwareAuthenticator
  const { signIn } = createAuthClient()

  beforeEach(() => {
    host = testHost({
      adapter: memoryAdapter(),
      session: { strategy },
      providers: [Passkey()],
    })
    device = softwareAuthenticator({ origin: "https://app.test" })
    vi.stubGlobal("location", new URL("https://app.test/page"))
    vi.stubGlobal("document", {})
    vi.stubGlobal("PublicKeyCredential", () => undefined)
    vi.stubGlobal("navigator", { credentials: softwareCredentials(device) })
    vi.stubGlobal("fetch", (address: string, { method = "GET", body, headers }: RequestInit) =>
      host.browser.fetch(new URL(address, location.href), {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(body instanceof URLSearchParams && { body }),
      }),
    )
  })
  afterEach(() => vi.unstubAllGlobals())

  const signUp = () => signIn("passkey", { action: "register", email, redirectTo: "/in", redirect: false })

  it("returns the service's error for a passkey that the service does not know", async () => {
    await signUp()
    host = testHost({ ...host.config, adapter: memoryAdapter() })
    const { error, url } = await signIn("passkey", { action: "authenticate", redirect: false })
    expect([error, url]).toEqual(["WebAuthnVerificationError", null])
    expect(await host.browser.session()).toBeNull()
  })

  it("does not register a passkey for the email of an existing account", async () => {
    await signUp()
    host.browser.cookies.clear()
    const again = await signUp().then(
      ({ error }) => error,
      (error: unknown) => String(error),
    )
    expect(again).toMatch(/AccountNotLinked|sign in the way you did before/)
    expect(await host.browser.session()).toBeNull()
  })

  it("signs up, and signs in again with the passkey alone", async () => {
    expect(await signUp()).toMatchObject({ error: undefined, ok: true, url: "https://app.test/in" })
    expect(await host.browser.session()).toMatchObject({ user: { email } })
    host.browser.cookies.clear()
    expect(await host.browser.session()).toBeNull()
    expect(await signIn("passkey", { action: "authenticate", redirect: false })).toMatchObject({
      error: undefined,
      url: "https://app.test/page",
    })
    expect(await host.browser.session()).toMatchObject({ user: { email } })
    expect(host.leaks()).toEqual([])
  })
})
