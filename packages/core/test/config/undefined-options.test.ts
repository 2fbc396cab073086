import { accountArea } from "@latchkey/core/account-area"
import GitHub from "@latchkey/core/providers/github"
import Passkey from "@latchkey/core/providers/passkey"
import type { AuthConfig } from "@latchkey/core/types"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"

describe("options that are undefined", () => {
  const none = undefined

  it("are options that were left out, so that an app can pass what its environment may lack", async () => {
    const options: Partial<AuthConfig> = {
      basePath: none,
      callbacks: none,
      events: none,
      cookies: none,
      session: { maxAge: none, updateAge: none, absoluteMaxAge: none, track: none, strategy: "jwt" },
      jwt: none,
      pages: none,
      theme: { name: none, colorScheme: none, logo: none, brandColor: none, visibleProviders: none },
      rateLimit: { budgets: none, store: none, accountOf: none, whenStoreFails: none },
      requestLimits: none,
      secondFactors: none,
      trustedProxies: none,
      clientAddress: none,
      useSecureCookies: none,
      debug: none,
    }
    const host = openHost({
      ...options,
      accountArea: accountArea({ sections: none }),
      providers: ({ idp }) => [
        { ...idp.provider(), apiKey: none, account: none },
        GitHub({ clientId: none, clientSecret: none, issuer: none, profile: none, enterprise: none }),
        Passkey({ relayingParty: none, getUserInfo: none }),
      ],
    })
    const page = await host.browser.open("/auth/signin")
    expect([page.status, host.logger.errors]).toEqual([200, []])
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
  })

  it("are options that were left out, inside of those that are objects", async () => {
    const host = openHost({
      callbacks: { signIn: none, redirect: none, jwt: none, session: none },
      events: { signIn: none, session: none },
      cookies: { sessionToken: none, csrfToken: { name: none, options: none }, state: { options: { path: none } } },
      session: { strategy: "jwt" },
      jwt: { secret: none, maxAge: none, encode: none, decode: none },
      pages: { signIn: none, error: none, newUser: none },
      requestLimits: { bodyBytes: none, headerBytes: none, flows: none, sessionChunks: none },
      providers: ({ idp }) => [idp.provider()],
    })
    await host.browser.signIn("oidc", { callbackUrl: "/in" })
    expect(await host.browser.session()).toMatchObject({ user: { email: "ada@example.com" } })
    expect(host.browser.cookies.names()).toContain("__Host-authjs.csrf-token")
    expect((await host.browser.open("/auth/signin")).status).toBe(200)
    expect(host.logger.errors).toEqual([])
  })
})
