import { accessTokens } from "@latchkey/core/access-tokens"
import { accountArea } from "@latchkey/core/account-area"
import { languages } from "@latchkey/core/languages"
import { de } from "@latchkey/core/languages/de"
import { nativeApps } from "@latchkey/core/native-apps"
import { argon2id } from "@latchkey/core/passwords"
import { providerLogout } from "@latchkey/core/provider-logout"
import Credentials from "@latchkey/core/providers/credentials"
import GitHub from "@latchkey/core/providers/github"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { memoryAdapter } from "@latchkey/testkit"
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

  it("are options that were left out, for every feature and method", async () => {
    const host = openHost({
      adapter: memoryAdapter(),
      accessTokens: accessTokens({ keep: none, encrypt: none, refreshBefore: none, revoke: none }),
      accountArea: accountArea({
        sections: none,
        mail: none,
        exportUser: none,
        beforeDelete: none,
        deleteAfterDays: none,
      }),
      languages: languages([de], { locale: none, messages: none }),
      nativeApps: nativeApps({ clients: [{ id: "ios", name: "App", redirectUris: ["com.example.app:/callback"] }] }),
      providerLogout: providerLogout({ atProvider: none, backchannel: none, frontchannel: none, laxTyp: none }),
      secondFactors: secondFactors({
        factors: [totp({ issuer: none }), recoveryCodes()],
        require: none,
        trust: none,
        remember: none,
      }),
      session: {
        strategy: "database",
        track: trackSessions({ checkEvery: none, device: none, adopt: none, maxPerUser: none, whenStoreFails: none }),
      },
      rateLimit: { budgets: { signIn: none, callback: none, mailsPerAddress: none } },
      providers: ({ idp }) => [
        idp.provider(),
        Passwords({
          mail: { send: () => {} },
          minLength: none,
          blocked: none,
          breached: none,
          hash: argon2id({ memory: none, passes: none, parallelism: none }),
          pepper: none,
          accept: none,
          signUp: none,
          mailUnknownAddresses: none,
          find: none,
        }),
        Passkey({ relayingParty: { id: none, name: none, origin: none }, registrationOptions: none }),
        Credentials({ id: none, name: none, credentials: none, authorize: none }),
      ],
    })
    expect((await host.browser.open("/auth/signin")).status).toBe(200)
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    expect(host.logger.errors).toEqual([])
  })
})
