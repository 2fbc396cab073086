import { describe, expect, it } from "vitest"
import type { AuthError } from "../errors/auth-error.js"
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

/** Configurations as JavaScript hosts write them: no type checker has seen them. */
type Given = Readonly<Record<string, unknown>>

function find(given: Given, isProduction = true): AuthError | null {
  const config: object = { providers: [], secret, trustHost: true, ...given }
  return validateConfig(resolveConfig(config as AuthConfig, { isProduction }))
}

/** What is wrong, and what the log says: option's path first, then what to write. */
const mistakes: readonly (readonly [name: string, given: Given, type: string, message: RegExp])[] = [
  ["an untrusted host", { trustHost: false }, "UntrustedHost", /^trustHost: .*trustHost: true.*AUTH_TRUST_HOST/],
  ["KEY-01: no secret", { secret: undefined }, "MissingSecret", /^secret: .*AUTH_SECRET to at least 32/],
  ["KEY-01: an empty secret", { secret: "" }, "MissingSecret", /^secret: /],
  ["KEY-01: an empty list of secrets", { secret: [] }, "MissingSecret", /^secret: /],
  ["KEY-02: a short secret", { secret: "c4n4ry" }, "InvalidConfiguration", /^secret: shorter than 32 .*openssl/],
  ["KEY-02: 31 characters", { secret: secret.slice(0, 31) }, "InvalidConfiguration", /^secret: shorter than 32/],
  ["KEY-02: one character", { secret: "a" }, "InvalidConfiguration", /^secret: shorter than 32/],
  ["KEY-02: one character over and over", { secret: "a".repeat(64) }, "InvalidConfiguration", /^secret: made of a few/],
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
  ["KEY-02: a short token secret", { jwt: { secret: "c4n4ry" } }, "InvalidConfiguration", /^jwt\.secret: shorter/],
  ["KEY-05: an empty token secret", { jwt: { secret: "" } }, "InvalidConfiguration", /^jwt\.secret: must hold/],
  ["KEY-05: an empty entry", { secret: [secret, ""] }, "InvalidConfiguration", /^secret: each .* not empty/],
  ["KEY-05: no text", { secret: [secret, undefined] }, "InvalidConfiguration", /^secret: each .* text/],
  ["KEY-05: a number", { secret: [7] }, "InvalidConfiguration", /^secret: each .* text/],
  ["KEY-05: 50 secrets", { secret: Array(50).fill(secret) }, "InvalidConfiguration", /^secret: at most 10/],
  ...[Number.NaN, -1, 0, Number.POSITIVE_INFINITY, 1e12, "30"].flatMap((maxAge) => [
    [
      `CONF-07: session.maxAge ${maxAge}`,
      { session: { maxAge } },
      "InvalidConfiguration",
      /^session\.maxAge: .*seconds above 0/,
    ] as const,
    [`CONF-07: jwt.maxAge ${maxAge}`, { jwt: { maxAge } }, "InvalidConfiguration", /^jwt\.maxAge: .*above 0/] as const,
  ]),
  ...["cookie", "", "JWT", 1].map(
    (strategy) =>
      [
        `session.strategy ${JSON.stringify(strategy)}`,
        { session: { strategy } },
        "InvalidConfiguration",
        /^session\.strategy: must be "jwt" or "database"$/,
      ] as const,
  ),
  ...[Number.NaN, -1, Number.POSITIVE_INFINITY, "30"].map(
    (updateAge) =>
      [
        `CONF-07: session.updateAge ${updateAge}`,
        { session: { updateAge } },
        "InvalidConfiguration",
        /^session\.updateAge: .*0 or more/,
      ] as const,
  ),
  ...["//evil.test", "/\\evil.test", "javascript:1", "data:text/html,x", "signin", "", 5, null].map(
    (signIn) =>
      [
        `CONF-05: pages.signIn ${JSON.stringify(signIn)}`,
        { pages: { signIn } },
        "InvalidConfiguration",
        /^pages\.signIn: must be a path that starts with one slash, or an http\(s\) URL/,
      ] as const,
  ),
  [
    "COOK-03: __Host- with a domain",
    { cookies: { csrfToken: { options: { domain: "app.test" } } } },
    "InvalidConfiguration",
    /^cookies\.csrfToken: .*__Host-.*no domain/,
  ],
  [
    "COOK-03: __Host- with a path",
    { cookies: { state: { name: "__Host-x", options: { path: "/a" } } } },
    "InvalidConfiguration",
    /^cookies\.state: .*path \//,
  ],
  [
    "COOK-03: __Secure- without secure",
    { cookies: { state: { name: "__Secure-x", options: { secure: false } } } },
    "InvalidConfiguration",
    /^cookies\.state: .*needs secure/,
  ],
  [
    "COOK-04: sameSite none without secure",
    { cookies: { state: { name: "x", options: { secure: false, sameSite: "none" } } } },
    "InvalidConfiguration",
    /^cookies\.state: sameSite none needs secure/,
  ],
  [
    "COOK-05: partitioned without secure",
    { useSecureCookies: false, cookies: { nonce: { options: { partitioned: true } } } },
    "InvalidConfiguration",
    /^cookies\.nonce: partitioned needs secure/,
  ],
  [
    "COOK-15: a name with more",
    { cookies: { state: { name: "a;b" } } },
    "InvalidConfiguration",
    /^cookies\.state: name/,
  ],
  [
    "COOK-15: a path with more",
    { cookies: { state: { options: { path: "/;Domain=evil.test" } } } },
    "InvalidConfiguration",
    /^cookies\.state: path/,
  ],
  [
    "COOK-15: a domain with more",
    { cookies: { state: { options: { domain: "evil.test\r\nX: y" } } } },
    "InvalidConfiguration",
    /^cookies\.state: domain/,
  ],
  [
    "CONF-04: no endpoints",
    { providers: [oauth] },
    "InvalidEndpoints",
    /^providers\.plain\.authorization, providers\.plain\.token, providers\.plain\.userinfo: .*URL of each/,
  ],
  [
    "CONF-04: no token endpoint",
    { providers: [{ ...oauth, ...endpoints, token: undefined }] },
    "InvalidEndpoints",
    /^providers\.plain\.token: /,
  ],
  ...["issuer", "wellKnown", "redirectProxyUrl"].map(
    (name) =>
      [
        `a ${name} that is no URL`,
        { providers: [{ ...oidc, [name]: "ftp://user:c4n4ry@idp.test" }] },
        "InvalidConfiguration",
        new RegExp(`^providers\\.idp\\.${name}: must be an absolute http\\(s\\) URL`),
      ] as const,
  ),
  ...["authorization", "token", "userinfo"].map(
    (name) =>
      [
        `a URL for ${name} that is none`,
        { providers: [{ ...oauth, ...endpoints, [name]: "/relative" }] },
        "InvalidConfiguration",
        new RegExp(`^providers\\.plain\\.${name}\\.url: `),
      ] as const,
  ),
  [
    "a redirect proxy that is no URL",
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
    "checks that are no list",
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
  ["CONF-03: two of one id", { providers: [oidc, credentials, oidc] }, "InvalidConfiguration", /^providers\.idp: two/],
  [
    "CONF-03: two of one id by options",
    { providers: [oidc, { ...credentials, options: { id: "idp" } }] },
    "InvalidConfiguration",
    /^providers\.idp: two/,
  ],
  ...["__proto__", "", "a/b", "a b", "..", "é", "a?b", "a".repeat(129), 5, undefined].map(
    (id) =>
      [
        `KEY-07: the id ${JSON.stringify(id)}`,
        { providers: [{ ...oidc, id }] },
        "InvalidConfiguration",
        /^providers: each needs an id of letters/,
      ] as const,
  ),
  ["no provider at all", { providers: [false] }, "InvalidConfiguration", /^providers: each needs an id/],
  [
    "an unknown type",
    { providers: [{ ...oidc, type: "saml" }] },
    "InvalidConfiguration",
    /^providers\.idp\.type: must be/,
  ],
  [
    "no authorize",
    { providers: [{ ...credentials, authorize: undefined }] },
    "MissingAuthorize",
    /^providers\.credentials\.authorize: must be a function/,
  ],
  [
    "a text for the fields of a form",
    { providers: [{ ...credentials, credentials: "username, password" }] },
    "InvalidConfiguration",
    /^providers\.credentials\.credentials: must be an object/,
  ],
  [
    "a text for one field of a form",
    { providers: [{ ...webauthn, formFields: { email: "text" } }] },
    "InvalidConfiguration",
    /^providers\.passkey\.formFields: must be an object/,
  ],
  [
    "no way to send mail",
    { providers: [{ ...email, sendVerificationRequest: "smtp" }], adapter: forEmail },
    "InvalidConfiguration",
    /^providers\.email\.sendVerificationRequest: must be a function/,
  ],
  [
    "two cookies of one name, which would open as each other",
    { cookies: { state: { name: "same" }, sessionToken: { name: "same" } } },
    "InvalidConfiguration",
    /^cookies\.state: has the name of cookies\.sessionToken$/,
  ],
  [
    "WebAuthn that is not enabled",
    { providers: [webauthn] },
    "ExperimentalFeatureNotEnabled",
    /^providers\.passkey: set experimental\.enableWebAuthn to true/,
  ],
  ["email without an adapter", { providers: [email] }, "MissingAdapter", /^adapter: an email provider needs one/],
  [
    "email with half an adapter",
    { providers: [email], adapter: withMethods("getUserByEmail") },
    "MissingAdapterMethods",
    /^adapter: an email provider needs createVerificationToken, useVerificationToken$/,
  ],
  [
    "stored sessions without a store",
    { session: { strategy: "database" } },
    "MissingAdapter",
    /^adapter: session\.strategy "database" needs one/,
  ],
  [
    "stored sessions with a store that lacks much",
    { adapter: withMethods(...storeNames.slice(2)) },
    "MissingAdapterMethods",
    /^adapter: session\.strategy "database" needs createUser, getUser$/,
  ],
  [
    "WebAuthn without an adapter",
    { providers: [webauthn], experimental: { enableWebAuthn: true } },
    "MissingAdapter",
    /^adapter: a WebAuthn provider needs one/,
  ],
  [
    "WebAuthn with a store that lacks its methods",
    { providers: [webauthn], experimental: { enableWebAuthn: true }, adapter: forSessions },
    "MissingAdapterMethods",
    /needs getAccount, getAuthenticator, createAuthenticator, listAuthenticatorsByUserId, updateAuthenticatorCounter$/,
  ],
]

describe("findMistake", () => {
  it.each(mistakes)("%s is refused", (_, given, type, message) => {
    const mistake = find(given)
    expect(mistake).toMatchObject({ type })
    expect(mistake?.message).toMatch(message)
  })

  it("KEY-06: repeats no value of the configuration that may be a secret", () => {
    for (const [, given] of mistakes) {
      const mistake = find(given)
      expect(`${mistake?.message} ${mistake?.stack} ${JSON.stringify(mistake?.cause)}`).not.toContain("c4n4ry")
    }
  })

  it("names the first mistake in the contract's order, however many there are", () => {
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
      expect(find(given)).toMatchObject({ type })
      given = { ...given, ...repair }
    }
    expect(find(given)).toBeNull()
  })

  it("KEY-02: lets short secrets pass outside of production", () => {
    expect(find({ secret: "short", jwt: { secret: "short" } }, false)).toBeNull()
    expect(find({ secret: ["short", ""] }, false)).toMatchObject({ type: "InvalidConfiguration" })
  })

  it("KEY-02, KEY-05: lets ten secrets of 32 characters pass", () => {
    expect(find({ secret: Array(10).fill(secret.slice(0, 32)) })).toBeNull()
  })

  it.each([
    ["/in", "/in?lang=de", "https://login.test/in", "http://localhost:3000/in"].map((signIn) => ({
      pages: { signIn },
    })),
    [{ pages: { signIn: undefined, error: "/error" } }],
    [{ session: { updateAge: 0 } }],
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
  ])("finds nothing to say of what works (%#)", (...givens: Given[]) => {
    for (const given of givens) expect(find(given)).toBeNull()
  })

  it("lets credentials work with stored sessions, also alone", () => {
    expect(find({ providers: [credentials], adapter: forSessions, session: { strategy: "database" } })).toBeNull()
  })

  it("counts a method as present when it is a key, inherited or made on demand", () => {
    class Store {}
    Object.assign(Store.prototype, forSessions)
    expect(find({ adapter: new Store() })).toBeNull()
    const onDemand: Adapter = new Proxy({}, { has: () => true })
    expect(find({ adapter: onDemand, providers: [email] })).toBeNull()
    expect(find({ adapter: { ...forSessions, linkAccount: undefined } })).toBeNull()
  })
})
