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
})
