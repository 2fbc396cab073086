import { describe, expect, it } from "vitest"
import type { AuthError } from "../errors/auth-error.js"
import { validateOAuth } from "../methods/oauth/oauth.js"
import { WebAuthn } from "../providers/webauthn.js"
import type { Adapter } from "../types/adapter.js"
import type { AuthConfig } from "../types/config.js"
import { resolveConfig } from "./resolve.js"
import { validateConfig } from "./validate.js"

const secret = "c4n4ry-secret-0123456789-0123456789"
const oidc = { id: "idp", name: "I", type: "oidc", issuer: "https://idp.test", clientSecret: "c4n4ry-client" }
const oauth = { id: "plain", name: "P", type: "oauth", clientSecret: "c4n4ry-client" }
const endpoints = { authorization: "https://idp.test/a", token: "https://idp.test/t", userinfo: "https://idp.test/u" }
const credentials = { id: "credentials", name: "C", type: "credentials", authorize: () => null }
const email = { id: "email", name: "E", type: "email", sendVerificationRequest: () => {} }
const webauthn = { ...WebAuthn(), id: "passkey", name: "K", enableConditionalUI: false, options: {} }

const withMethods = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, () => null]))
const forEmail = withMethods("createVerificationToken", "useVerificationToken", "getUserByEmail")
const storeNames = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "linkAccount",
  "createSession",
  "getSessionAndUser",
  "updateSession",
  "deleteSession",
]
const forSessions = withMethods(...storeNames)

/** Configurations that a JavaScript host may pass, without type checks. */
type Given = Readonly<Record<string, unknown>>

function validate(given: Given, isProduction = true): AuthError | null {
  const config: object = { providers: [], secret, trustHost: true, ...given }
  return validateConfig(resolveConfig(config as AuthConfig, { isProduction }), validateOAuth)
}

/** A message begins with the option's path and ends with advice. */
const mistakes: readonly (readonly [name: string, given: Given, type: string, message: RegExp])[] = [
  ["an untrusted host", { trustHost: false }, "UntrustedHost", /^trustHost: .*trustHost: true.*AUTH_TRUST_HOST/],
  ["KEY-01: a missing secret", { secret: undefined }, "MissingSecret", /^secret: .*AUTH_SECRET to at least 32/],
  ["KEY-01: an empty secret", { secret: "" }, "MissingSecret", /^secret: /],
  ["KEY-01: an empty list of secrets", { secret: [] }, "MissingSecret", /^secret: /],
  ["KEY-02: a short secret", { secret: "c4n4ry" }, "InvalidConfiguration", /^secret: shorter than 32 .*openssl/],
  [
    "KEY-02: a secret of 31 characters",
    { secret: secret.slice(0, 31) },
    "InvalidConfiguration",
    /^secret: shorter than 32/,
  ],
  ["KEY-02: a secret of one character", { secret: "a" }, "InvalidConfiguration", /^secret: shorter than 32/],
  [
    "KEY-02: a secret of one repeated character",
    { secret: "a".repeat(64) },
    "InvalidConfiguration",
    /^secret: made of a few/,
  ],
  ...[
    "changeme-0123456789-0123456789-abcdef",
    "CHANGE_ME_0123456789_0123456789_ab",
    "your-secret-0123456789-0123456789",
  ].map(
    (placeholder) =>
      [
        `KEY-02: the placeholder ${placeholder}`,
        { secret: placeholder },
        "InvalidConfiguration",
        /^secret: a placeholder.*openssl/,
      ] as const,
  ),
  ["KEY-02: a short second secret", { secret: [secret, "c4n4ry"] }, "InvalidConfiguration", /^secret: shorter/],
  ["KEY-02: a short jwt.secret", { jwt: { secret: "c4n4ry" } }, "InvalidConfiguration", /^jwt\.secret: shorter/],
  ["KEY-05: an empty jwt.secret", { jwt: { secret: "" } }, "InvalidConfiguration", /^jwt\.secret: must not be empty/],
  [
    "KEY-05: an empty string in a list of secrets",
    { secret: [secret, ""] },
    "InvalidConfiguration",
    /^secret: each .* not empty/,
  ],
  [
    "KEY-05: undefined in a list of secrets",
    { secret: [secret, undefined] },
    "InvalidConfiguration",
    /^secret: each .* string/,
  ],
  ["KEY-05: a number in a list of secrets", { secret: [7] }, "InvalidConfiguration", /^secret: each .* string/],
  [
    "KEY-05: a list of 50 secrets",
    { secret: Array(50).fill(secret) },
    "InvalidConfiguration",
    /^secret: must list at most 10/,
  ],
  [
    "COOK-03: a __Host- cookie with a domain",
    { cookies: { csrfToken: { options: { domain: "app.test" } } } },
    "InvalidConfiguration",
    /^cookies\.csrfToken: .*__Host-.*no domain/,
  ],
  [
    "COOK-03: a __Host- cookie with a path",
    { cookies: { state: { name: "__Host-x", options: { path: "/a" } } } },
    "InvalidConfiguration",
    /^cookies\.state: .*path \//,
  ],
  [
    "COOK-03: a __Secure- cookie without secure",
    { cookies: { state: { name: "__Secure-x", options: { secure: false } } } },
    "InvalidConfiguration",
    /^cookies\.state: .*needs secure/,
  ],
  [
    "COOK-04: a cookie with sameSite none and without secure",
    { cookies: { state: { name: "x", options: { secure: false, sameSite: "none" } } } },
    "InvalidConfiguration",
    /^cookies\.state: sameSite none needs secure/,
  ],
  [
    "COOK-05: a partitioned cookie without secure",
    { useSecureCookies: false, cookies: { nonce: { options: { partitioned: true } } } },
    "InvalidConfiguration",
    /^cookies\.nonce: partitioned needs secure/,
  ],
  [
    "COOK-15: a cookie name with a semicolon",
    { cookies: { state: { name: "a;b" } } },
    "InvalidConfiguration",
    /^cookies\.state: name/,
  ],
  [
    "COOK-15: a cookie path with another attribute",
    { cookies: { state: { options: { path: "/;Domain=evil.test" } } } },
    "InvalidConfiguration",
    /^cookies\.state: path/,
  ],
  [
    "COOK-15: a cookie domain with another header",
    { cookies: { state: { options: { domain: "evil.test\r\nX: y" } } } },
    "InvalidConfiguration",
    /^cookies\.state: domain/,
  ],
  [
    "CONF-04: an OAuth provider without endpoints",
    { providers: [oauth] },
    "InvalidEndpoints",
    /^providers\.plain\.authorization, providers\.plain\.token, providers\.plain\.userinfo: .*URL of each/,
  ],
  [
    "CONF-04: an OAuth provider without a token endpoint",
    { providers: [{ ...oauth, ...endpoints, token: undefined }] },
    "InvalidEndpoints",
    /^providers\.plain\.token: /,
  ],
  ...["issuer", "wellKnown", "redirectProxyUrl"].map(
    (name) =>
      [
        `a provider's ${name} that is not an http(s) URL`,
        { providers: [{ ...oidc, [name]: "ftp://user:c4n4ry@idp.test" }] },
        "InvalidConfiguration",
        new RegExp(`^providers\\.idp\\.${name}: must be an absolute http\\(s\\) URL`),
      ] as const,
  ),
  ...["authorization", "token", "userinfo"].map(
    (name) =>
      [
        `a relative URL for the endpoint ${name}`,
        { providers: [{ ...oauth, ...endpoints, [name]: "/relative" }] },
        "InvalidConfiguration",
        new RegExp(`^providers\\.plain\\.${name}\\.url: `),
      ] as const,
  ),
  [
    "a redirectProxyUrl that is not a URL",
    { providers: [oidc], redirectProxyUrl: "proxy" },
    "InvalidConfiguration",
    /^providers\.idp\.redirectProxyUrl: /,
  ],
  [
    "an unknown check",
    { providers: [{ ...oidc, checks: ["pkce", "maybe"] }] },
    "InvalidConfiguration",
    /^providers\.idp\.checks: only pkce, state, nonce, none/,
  ],
  [
    "the nonce check without ID tokens",
    { providers: [{ ...oauth, ...endpoints, checks: ["nonce"] }] },
    "InvalidConfiguration",
    /^providers\.plain\.checks: only pkce, state, none/,
  ],
  [
    "checks that are not a list",
    { providers: [{ ...oidc, checks: "state" }] },
    "InvalidConfiguration",
    /^providers\.idp\.checks: must be a list/,
  ],
  ...["token", "code id_token", "id_token"].map(
    (response_type) =>
      [
        `OAU-55: the response type ${response_type}`,
        { providers: [{ ...oidc, authorization: { params: { response_type } } }] },
        "InvalidConfiguration",
        /^providers\.idp\.authorization\.params\.response_type: only the code flow/,
      ] as const,
  ),
  [
    "OAU-55: a response type in the URL",
    { providers: [{ ...oauth, ...endpoints, authorization: "https://idp.test/a?response_type=token" }] },
    "InvalidConfiguration",
    /response_type: only the code flow/,
  ],
  [
    "CONF-03: two providers with the same id",
    { providers: [oidc, credentials, oidc] },
    "InvalidConfiguration",
    /^providers\.idp: two/,
  ],
  [
    "CONF-03: two providers with the same id, one by its options",
    { providers: [oidc, { ...credentials, options: { id: "idp" } }] },
    "InvalidConfiguration",
    /^providers\.idp: two/,
  ],
  ...["__proto__", "", "a/b", "a b", "..", "é", "a?b", "a".repeat(129), 5, undefined].map(
    (id) =>
      [
        `KEY-07: the provider id ${JSON.stringify(id)}`,
        { providers: [{ ...oidc, id }] },
        "InvalidConfiguration",
        /^providers: each needs an id of 1 to 128 letters/,
      ] as const,
  ),
  ["false in the list of providers", { providers: [false] }, "InvalidConfiguration", /^providers: each needs an id/],
  [
    "an unknown provider type",
    { providers: [{ ...oidc, type: "saml" }] },
    "InvalidConfiguration",
    /^providers\.idp\.type: must be/,
  ],
  [
    "a credentials provider without authorize",
    { providers: [{ ...credentials, authorize: undefined }] },
    "MissingAuthorize",
    /^providers\.credentials\.authorize: must be a function/,
  ],
  [
    "a string for the fields of a credentials form",
    { providers: [{ ...credentials, credentials: "username, password" }] },
    "InvalidConfiguration",
    /^providers\.credentials\.credentials: must be an object/,
  ],
  [
    "a string for one field of a passkey form",
    { providers: [{ ...webauthn, formFields: { email: "text" } }] },
    "InvalidConfiguration",
    /^providers\.passkey\.formFields: must be an object/,
  ],
  [
    "an email provider that cannot send mail",
    { providers: [{ ...email, sendVerificationRequest: "smtp" }], adapter: forEmail },
    "InvalidConfiguration",
    /^providers\.email\.sendVerificationRequest: must be a function/,
  ],
  [
    "two cookies with the same name, which would decrypt as each other",
    { cookies: { state: { name: "same" }, sessionToken: { name: "same" } } },
    "InvalidConfiguration",
    /^cookies\.state: has the same name as cookies\.sessionToken/,
  ],
  [
    "an email provider without an adapter",
    { providers: [email] },
    "MissingAdapter",
    /^adapter: an email provider needs one/,
  ],
  [
    "an email provider with an adapter that stores no tokens",
    { providers: [email], adapter: withMethods("getUserByEmail") },
    "MissingAdapterMethods",
    /^adapter: an email provider needs createVerificationToken, useVerificationToken$/,
  ],
  [
    "database sessions without an adapter",
    { session: { strategy: "database" } },
    "MissingAdapter",
    /^adapter: session\.strategy "database" needs one/,
  ],
  [
    "database sessions with an adapter that lacks methods",
    { adapter: withMethods(...storeNames.slice(2)) },
    "MissingAdapterMethods",
    /^adapter: session\.strategy "database" needs createUser, getUser$/,
  ],
  [
    "a WebAuthn provider without an adapter",
    { providers: [webauthn] },
    "MissingAdapter",
    /^adapter: a WebAuthn provider needs one/,
  ],
  [
    "a WebAuthn provider with an adapter that stores no passkeys",
    { providers: [webauthn], adapter: forSessions },
    "MissingAdapterMethods",
    /needs getAccount, getAuthenticator, createAuthenticator, listAuthenticatorsByUserId, updateAuthenticatorCounter$/,
  ],
]

describe("validateConfig", () => {
  it.each(mistakes)("%s is refused", (_, given, type, message) => {
    const mistake = validate(given)
    expect(mistake).toMatchObject({ type })
    expect(mistake?.message).toMatch(message)
  })

  it("KEY-06: never repeats a secret in a message", () => {
    for (const [, given] of mistakes) {
      const mistake = validate(given)
      expect(`${mistake?.message} ${mistake?.stack} ${JSON.stringify(mistake?.cause)}`).not.toContain("c4n4ry")
    }
  })

  it("reports the first mistake in the contract's order", () => {
    const [noEndpoints, noAuthorize] = [oauth, { ...credentials, authorize: undefined }]
    let given: Given = {
      trustHost: false,
      secret: "",
      session: { maxAge: -1, strategy: "database" },
      providers: [noEndpoints, noAuthorize, email],
    }
    const repairs: readonly (readonly [string, Given])[] = [
      ["UntrustedHost", { trustHost: true }],
      ["MissingSecret", { secret }],
      ["InvalidConfiguration", { session: { strategy: "database" } }],
      ["InvalidEndpoints", { providers: [oidc, noAuthorize, email] }],
      ["MissingAuthorize", { providers: [oidc, credentials, email] }],
      ["MissingAdapter", { adapter: {} }],
      ["MissingAdapterMethods", { adapter: forEmail }],
    ]
    for (const [type, repair] of repairs) {
      expect(validate(given)).toMatchObject({ type })
      given = { ...given, ...repair }
    }
    expect(validate(given)).toBeNull()
  })

  it("KEY-02: accepts short secrets outside of production", () => {
    expect(validate({ secret: "short", jwt: { secret: "short" } }, false)).toBeNull()
    expect(validate({ secret: ["short", ""] }, false)).toMatchObject({ type: "InvalidConfiguration" })
  })

  it("KEY-02, KEY-05: accepts ten secrets of 32 characters", () => {
    expect(validate({ secret: Array(10).fill(secret.slice(0, 32)) })).toBeNull()
  })

  it.each([
    [{ cookies: { state: { options: { sameSite: "none" } }, nonce: { options: { partitioned: true } } } }],
    [{ cookies: { csrfToken: { options: { sameSite: "strict" } }, sessionToken: { name: "my.session" } } }],
    [{ providers: [oidc, { ...oauth, ...endpoints }, credentials] }],
    [{ providers: [{ ...oidc, issuer: undefined, wellKnown: "https://idp.test/.well-known/x" }] }],
    [{ providers: [{ ...oauth, ...endpoints, userinfo: { request: () => ({}) } }] }],
    [
      {
        providers: [
          { ...oidc, id: "42-school" },
          { ...oidc, id: "a.b_c~d" },
        ],
      },
    ],
    [
      {
        providers: [
          { ...oidc, checks: ["none"] },
          { ...oauth, ...endpoints, checks: [] },
        ],
      },
    ],
    [{ providers: [{ ...oidc, authorization: { params: { response_type: "code" } } }] }],
    [{ providers: [{ ...credentials, authorize: undefined, options: { authorize: () => null } }] }],
    [{ providers: [email], adapter: forEmail }],
    [{ providers: [email], adapter: forEmail, session: { strategy: "jwt" } }],
    [{ adapter: {}, session: { strategy: "jwt" } }],
    [{ adapter: forSessions }],
  ])("accepts valid configurations (%#)", (...givens: Given[]) => {
    for (const given of givens) expect(validate(given)).toBeNull()
  })

  it("accepts credentials with database sessions, even as the only provider", () => {
    expect(validate({ providers: [credentials], adapter: forSessions, session: { strategy: "database" } })).toBeNull()
  })

  it("accepts adapter methods that are inherited, created on demand or undefined keys", () => {
    class Store {}
    Object.assign(Store.prototype, forSessions)
    expect(validate({ adapter: new Store() })).toBeNull()
    const onDemand: Adapter = new Proxy({}, { has: () => true })
    expect(validate({ adapter: onDemand, providers: [email] })).toBeNull()
    expect(validate({ adapter: { ...forSessions, linkAccount: undefined } })).toBeNull()
  })
})
