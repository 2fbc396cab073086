/** A test module of the OpenID Foundation's conformance suite, by its own name. */
export interface Module {
  readonly name: string
  /** What a relying party must do, in one line. */
  readonly promise: string
  /** Why it is not rebuilt here, or what of it is not. */
  readonly notOffered?: string
  /** Rebuilt here although a part of what the module asks for is not offered. */
  readonly inPart?: boolean
}

/** A test plan, by its own name, with its modules in their order. */
export interface Plan {
  readonly name: string
  readonly title: string
  /** How the relying party is set up for it. */
  readonly setup: string
  readonly modules: readonly Module[]
}

const oidcc = (name: string, promise: string, more: Omit<Module, "name" | "promise"> = {}): Module => {
  return { name: name === "" ? "oidcc-client-test" : `oidcc-client-test-${name}`, promise, ...more }
}

const sigNone = oidcc("idtoken-sig-none", "An unsigned ID token", {
  notOffered: "Optional in the suite. Unsigned ID tokens are refused in every flow, whatever the host registers.",
})

const basic: readonly Module[] = [
  oidcc("", "Signs in by the code flow and reads userinfo"),
  oidcc("invalid-iss", "Refuses an ID token of another issuer"),
  oidcc("missing-sub", "Refuses an ID token without sub"),
  oidcc("invalid-aud", "Refuses an ID token for another audience"),
  oidcc("missing-iat", "Refuses an ID token without iat"),
  oidcc("kid-absent-single-jwks", "Accepts an ID token without kid where one key is published"),
  oidcc("kid-absent-multiple-jwks", "Refuses an ID token without kid where several keys would do"),
  oidcc("idtoken-sig-rs256", "Verifies an ID token signed with RS256"),
  sigNone,
  oidcc("invalid-sig-rs256", "Refuses an ID token whose RS256 signature is wrong"),
  oidcc("userinfo-invalid-sub", "Refuses userinfo of another subject"),
  oidcc("nonce-invalid", "Refuses an ID token with another nonce"),
  oidcc("scope-userinfo-claims", "Asks for claims by scopes and reads them from userinfo"),
  oidcc("client-secret-basic", "Authenticates by client_secret_basic"),
]

const config: readonly Module[] = [
  oidcc("discovery-openid-config", "Finds the endpoints by the discovery document"),
  oidcc("discovery-jwks-uri-keys", "Finds the keys by jwks_uri"),
  oidcc("discovery-issuer-mismatch", "Refuses a discovery document of another issuer"),
  sigNone,
  oidcc("signing-key-rotation-just-before-signing", "Fetches the keys again when the key changed just before signing"),
  oidcc("signing-key-rotation", "Signs in before and after the key changed"),
]

const further: readonly Module[] = [
  oidcc("missing-aud", "Refuses an ID token without aud"),
  oidcc("invalid-sig-hs256", "Refuses an ID token whose HS256 signature is wrong"),
  oidcc("invalid-sig-es256", "Refuses an ID token whose ES256 signature is wrong"),
  oidcc("invalid-athash", "Refuses an ID token made for another access token"),
  oidcc("userinfo-bearer-header", "Sends the access token in the header"),
  oidcc("userinfo-bearer-body", "Sends the access token in the body", {
    notOffered: "The header is what RFC 6750 wants servers to take, and the only way used.",
  }),
  oidcc("userinfo-signed", "Verifies a signed userinfo answer"),
  oidcc("form-post-error", "Takes an error that comes by a form to a page of its own"),
  oidcc("ignores-unparseable-key-in-jwks", "Passes over published keys that it cannot read"),
  oidcc("aggregated-claims", "Reads claims that another party signed", {
    notOffered: "Hosts may read them in `profile`.",
  }),
  oidcc("distributed-claims", "Fetches claims from another party", {
    notOffered: "Hosts may fetch them in `profile`.",
  }),
  oidcc("refresh-token", "Refreshes tokens", {
    notOffered: "Tokens are for signing in; what else a host does with them is its own.",
  }),
  oidcc("dynamic-registration", "Registers itself at the provider", {
    notOffered: "Apps are registered by their hosts.",
  }),
  oidcc("discovery-webfinger-acct", "Finds the issuer by an address", { notOffered: "Providers are configured." }),
  oidcc("discovery-webfinger-url", "Finds the issuer by a URL", { notOffered: "Providers are configured." }),
  oidcc("request-uri-signed-none", "Refers to a request object", { notOffered: "Pushed requests do the same better." }),
  oidcc("request-uri-signed-rs256", "Refers to a signed request object", {
    notOffered: "Pushed requests do the same better.",
  }),
]

const fapi = (name: string, promise: string, more: Omit<Module, "name" | "promise"> = {}): Module => {
  return { name: `fapi2-security-profile-final-client-test-${name}`, promise, ...more }
}

const noDpop = { notOffered: "Tokens bound to a key (DPoP, mutual TLS) are not offered." }

const fapi2: readonly Module[] = [
  fapi("happy-path", "Signs in by pushed request, PKCE, private_key_jwt and iss", { ...noDpop, inPart: true }),
  fapi("discovery-issuer-mismatch", "Refuses a discovery document of another issuer"),
  fapi("invalid-iss", "Refuses an ID token of another issuer"),
  fapi("invalid-aud", "Refuses an ID token for another audience"),
  fapi("invalid-secondary-aud", "Refuses an ID token for a further audience that nobody knows"),
  fapi("invalid-null-alg", "Refuses an unsigned ID token"),
  fapi("invalid-alternate-alg", "Refuses an ID token signed with an algorithm that was not agreed"),
  fapi("invalid-expired-exp", "Refuses an expired ID token"),
  fapi("invalid-missing-exp", "Refuses an ID token without exp"),
  fapi("invalid-missing-aud", "Refuses an ID token without aud"),
  fapi("invalid-missing-iss", "Refuses an ID token without iss"),
  fapi("valid-aud-as-array", "Accepts aud as a list of one"),
  fapi("invalid-nonce", "Refuses an ID token with another nonce"),
  fapi("invalid-missing-nonce", "Refuses an ID token without nonce"),
  fapi("invalid-authorization-response-iss", "Refuses an answer of another issuer (RFC 9207)"),
  fapi("remove-authorization-response-iss", "Refuses an answer without the promised issuer (RFC 9207)"),
  fapi("ensure-authorization-response-with-invalid-state-fails", "Refuses an answer with another state"),
  fapi("ensure-authorization-response-with-invalid-missing-state-fails", "Refuses an answer without state"),
  fapi("token-endpoint-response-without-expires_in", "Accepts tokens without a lifetime"),
  fapi("token-type-case-insensitivity", "Accepts the token type in any case"),
  fapi("rs-dpop-auth-scheme-case-insensitivity", "Takes a DPoP challenge in any case", noDpop),
  fapi("happy-path-no-dpop-nonce", "Signs in without a DPoP nonce", noDpop),
]

const jarm: readonly Module[] = [
  fapi("ensure-jarm-without-iss-fails", "Refuses a signed answer without iss"),
  fapi("ensure-jarm-with-invalid-iss-fails", "Refuses a signed answer of another issuer"),
  fapi("ensure-jarm-without-aud-fails", "Refuses a signed answer without aud"),
  fapi("ensure-jarm-with-invalid-aud-fails", "Refuses a signed answer for another audience"),
  fapi("ensure-jarm-without-exp-fails", "Refuses a signed answer without exp"),
  fapi("ensure-jarm-with-expired-exp-fails", "Refuses an expired signed answer"),
  fapi("ensure-jarm-with-invalid-sig-fails", "Refuses an answer whose signature is wrong"),
  fapi("ensure-jarm-signature-is-not-none", "Refuses an unsigned answer"),
]

export const plans: readonly Plan[] = [
  {
    name: "oidcc-client-basic-certification-test-plan",
    title: "OpenID Connect, Basic RP",
    setup: "Code flow, answer by query, `client_secret_basic`.",
    modules: basic,
  },
  {
    name: "oidcc-client-config-certification-test-plan",
    title: "OpenID Connect, Config RP",
    setup: "Code flow by discovery.",
    modules: config,
  },
  {
    name: "oidcc-client-formpost-basic-certification-test-plan",
    title: "OpenID Connect, Form Post RP",
    setup: "As Basic RP, the answer by a form.",
    modules: basic,
  },
  {
    name: "oidcc-client-test-plan",
    title: "OpenID Connect, further modules",
    setup: "Modules for relying parties that belong to no profile above.",
    modules: further,
  },
  {
    name: "fapi2-security-profile-final-client-test-plan",
    title: "FAPI 2 Security Profile, client",
    setup: "Pushed requests, PKCE, `private_key_jwt`, PS256, `iss` in the answer; tokens are bearer tokens.",
    modules: fapi2,
  },
  {
    name: "fapi2-message-signing-final-client-test-plan",
    title: "FAPI 2 Message Signing, client: signed answers",
    setup: 'As above, with `response_mode: "jwt"`. Signed requests (JAR) are not offered.',
    modules: jarm,
  },
]
