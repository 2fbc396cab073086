import { describe, expect, it } from "vitest"
import { GitHub } from "../providers/github.js"
import { GitLab } from "../providers/gitlab.js"
import { Mailgun } from "../providers/mailgun.js"
import { Passkey } from "../providers/passkey.js"
import type { AuthConfig } from "../types/config.js"
import { listUnknownOptions } from "./unknown-options.js"

/** Options that plain JavaScript can pass. */
const list = (given: object) => listUnknownOptions({ providers: [], ...given } as AuthConfig)

describe("an unknown option", () => {
  it.each([
    [{ sesion: {} }, "sesion: unknown option. Did you mean session?"],
    [{ page: {} }, "page: unknown option. Did you mean pages?"],
    [{ session: { maxage: 60 } }, "session.maxage: unknown option. Did you mean session.maxAge?"],
    [{ callbacks: { signin: () => true } }, "callbacks.signin: unknown option. Did you mean callbacks.signIn?"],
    [{ pages: { verifyRequets: "/x" } }, "pages.verifyRequets: unknown option. Did you mean pages.verifyRequest?"],
    [{ pages: { singIn: "/x" } }, "pages.singIn: unknown option. Did you mean pages.signIn?"],
    [{ pages: { singOut: "/x" } }, "pages.singOut: unknown option. Did you mean pages.signOut?"],
    [{ cookies: { sesionToken: {} } }, "cookies.sesionToken: unknown option. Did you mean cookies.sessionToken?"],
    [{ jwt: { signingKey: "x" } }, "jwt.signingKey: unknown option"],
    [{ site: "https://app.test" }, "site: unknown option"],
  ])("is named with the nearest known one: %j", (given, sentence) => {
    expect(list(given)).toEqual([sentence])
  })

  it.each([
    [
      { ...GitHub(), clientID: "x" },
      "providers.github.clientID: unknown option. Did you mean providers.github.clientId?",
    ],
    [
      GitHub({ clientSecert: "x" } as object),
      "providers.github.clientSecert: unknown option. Did you mean providers.github.clientSecret?",
    ],
    [
      GitHub({ scope: "repo" } as object),
      "providers.github.scope: unknown option. Did you mean providers.github.authorization.params.scope?",
    ],
    [
      GitHub({ clockToleranceSeconds: 5 } as object),
      "providers.github.clockToleranceSeconds: unknown option. Did you mean providers.github.advanced.clockToleranceSeconds?",
    ],
    [
      GitLab({ baseURL: "x" } as object),
      "providers.gitlab.baseURL: unknown option. Did you mean providers.gitlab.baseUrl?",
    ],
    [
      Mailgun({ form: "x", regions: "eu" } as object),
      "providers.mailgun.regions: unknown option. Did you mean providers.mailgun.region?",
    ],
    [
      Passkey({ relyingParty: {} } as object),
      "providers.passkey.relyingParty: unknown option. Did you mean providers.passkey.relayingParty?",
    ],
  ])("of a provider is named if it looks like a known one (%#)", (provider, sentence) => {
    expect(list({ providers: [provider] })).toEqual([sentence])
  })

  it.each<object>([
    { callbacks: { authorized: () => true, jwt: undefined } },
    { logger: { level: "info", child: () => ({}) } },
    { session: null, pages: undefined, rateLimit: false },
    {
      providers: [
        GitHub,
        GitHub({ enterprise: { baseUrl: "https://git.test" } }),
        GitLab({ baseUrl: "https://git.test" }),
      ],
    },
    {
      providers: [
        { id: "corp", name: "Corp", type: "oidc", issuer: "https://idp.test", department: "sales", tenant: 1 },
      ],
    },
    { providers: [{ id: "card", name: "Card", type: "credentials", authorize: () => null, numberLength: 16 }] },
  ])("is not what a host adds for itself, or leaves out: %j", (given) => expect(list(given)).toEqual([]))

  it("is not quoted with its value", () => {
    expect(list({ providers: [GitHub({ clientSecert: "c4n4ry" } as object)], secert: "c4n4ry" }).join()).not.toContain(
      "c4n4ry",
    )
  })
})
