import { AuthError } from "@latchkey/core"
import { OAuthAccountNotLinked } from "@latchkey/core/errors"
import type { CallbacksOptions } from "@latchkey/core/types"
import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "./hosts.js"
import { expectQuiet, passwordProvider, pathOfPage } from "./sign-ins.js"

type SignIn = CallbacksOptions["signIn"]

/** Possible in plain JavaScript. */
const odd = (answer: unknown): SignIn => (() => answer) as SignIn
const throwing =
  (error: unknown): SignIn =>
  () => {
    throw error
  }

const ways = [
  ["oidc", {}],
  ["cred", { u: "v", p: "right" }],
] as const

function openAsking(signIn: SignIn) {
  const adapter = memoryAdapter()
  const host = openHost({
    adapter,
    session: { strategy: "jwt" },
    providers: ({ idp }) => [idp.provider(), passwordProvider()],
    callbacks: { signIn },
  })
  return { host, adapter }
}

describe.each(ways)("callbacks.signIn for %s", (id, fields) => {
  it("allows the sign-in by true", async () => {
    const { host } = openAsking(() => true)
    expect((await host.browser.signIn(id, { ...fields, callbackUrl: "/in" })).url.pathname).toBe("/in")
    expect(await host.browser.session()).not.toBeNull()
  })

  it.each<[string, SignIn]>([
    ["false", odd(false)],
    ["null", odd(null)],
    ["undefined", odd(undefined)],
    ["an error that it throws", throwing(new Error("the quota is used up"))],
    ["a rejection", () => Promise.reject(new Error("the quota is used up"))],
  ])("ADP-14: refuses by %s, with AccessDenied", async (_, signIn) => {
    const { host, adapter } = openAsking(signIn)
    const page = await host.browser.signIn(id, { ...fields, callbackUrl: "/in" })
    expect([pathOfPage(page), page.status]).toEqual(["/auth/error?error=AccessDenied", 403])
    expect(page.text()).not.toContain("quota")
    expect(host.logger.errorTypes()).toEqual(["AccessDenied"])
    await expectQuiet(host, host.browser, adapter)
  })

  it.each([
    [new OAuthAccountNotLinked("no"), "/auth/signin?error=OAuthAccountNotLinked"],
    [new AuthError("no"), "/auth/error?error=Configuration"],
  ])("keeps an error of the service that it throws: %s", async (error, endPath) => {
    const { host, adapter } = openAsking(throwing(error))
    expect(pathOfPage(await host.browser.signIn(id, fields))).toBe(endPath)
    expect(host.logger.errors).toEqual([error])
    await expectQuiet(host, host.browser, adapter)
  })

  it.each([
    ["/wait?for=approval", "https://app.test/wait?for=approval"],
    ["https://evil.test/x", "https://app.test/"],
    ["//evil.test", "https://app.test//evil.test"],
    ["javascript:alert(1)", "https://app.test/"],
  ])("URL-17: redirects to %s through the redirect policy, without a session", async (text, href) => {
    const { host, adapter } = openAsking(() => text)
    const page = await host.browser.signIn(id, { ...fields, callbackUrl: "/in" })
    expect([page.url.href, host.logger.errors]).toEqual([href, []])
    await expectQuiet(host, host.browser, adapter)
  })
})

describe("callbacks.signIn", () => {
  it("gets the stored user if the account is known, else the provider's user", async () => {
    const asked: unknown[] = []
    const adapter = memoryAdapter()
    const host = openHost({
      adapter,
      callbacks: {
        signIn({ user }) {
          asked.push(user)
          return true
        },
      },
    })
    await host.browser.signIn("oidc")
    const stored = await adapter.getUserByEmail("ada@example.com")
    await adapter.updateUser({ id: stored?.id ?? "", name: "Countess" })
    await host.newBrowser().signIn("oidc")
    expect(asked).toMatchObject([{ name: "Ada Lovelace" }, { id: stored?.id, name: "Countess", emailVerified: null }])
    expect(asked[0]).not.toHaveProperty("emailVerified")
  })
})
