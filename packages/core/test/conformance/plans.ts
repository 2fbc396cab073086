/** A test module of the OpenID Foundation's conformance suite, with its original name. */
export interface Module {
  readonly name: string
  /** The requirement in one line. */
  readonly promise: string
  /** Why the module, or a part of it, is not rebuilt here. */
  readonly notOffered?: string
  /** Whether the module is rebuilt without an unsupported part. */
  readonly inPart?: boolean
}

/** A test plan with its original name and its modules in order. */
export interface Plan {
  readonly name: string
  readonly title: string
  /** The relying party's configuration. */
  readonly setup: string
  readonly modules: readonly Module[]
}

const oidcc = (name: string, promise: string, more: Omit<Module, "name" | "promise"> = {}): Module => {
  return { name: name === "" ? "oidcc-client-test" : `oidcc-client-test-${name}`, promise, ...more }
}

const sigNone = oidcc("idtoken-sig-none", "An unsigned ID token", {
  notOffered: "Optional in the suite. Unsigned ID tokens are rejected in every flow, regardless of the configuration.",
})

const basic: readonly Module[] = [
  oidcc("", "Signs in with the code flow and reads userinfo"),
  oidcc("invalid-iss", "Rejects an ID token from another issuer"),
  oidcc("missing-sub", "Rejects an ID token without sub"),
  oidcc("invalid-aud", "Rejects an ID token for another audience"),
  oidcc("missing-iat", "Rejects an ID token without iat"),
  oidcc("kid-absent-single-jwks", "Accepts an ID token without kid if a single key is published"),
  oidcc("kid-absent-multiple-jwks", "Rejects an ID token without kid if several keys match"),
  oidcc("idtoken-sig-rs256", "Verifies an ID token signed with RS256"),
  sigNone,
  oidcc("invalid-sig-rs256", "Rejects an ID token with an invalid RS256 signature"),
  oidcc("userinfo-invalid-sub", "Rejects userinfo for another subject"),
  oidcc("nonce-invalid", "Rejects an ID token with another nonce"),
  oidcc("scope-userinfo-claims", "Requests claims by scope and reads them from userinfo"),
  oidcc("client-secret-basic", "Authenticates with client_secret_basic"),
]

const config: readonly Module[] = [
  oidcc("discovery-openid-config", "Finds the endpoints in the discovery document"),
  oidcc("discovery-jwks-uri-keys", "Fetches the keys from jwks_uri"),
  oidcc("discovery-issuer-mismatch", "Rejects a discovery document from another issuer"),
  sigNone,
  oidcc("signing-key-rotation-just-before-signing", "Fetches the keys again if the key changed just before signing"),
  oidcc("signing-key-rotation", "Signs in before and after the key changed"),
]

const further: readonly Module[] = [
  oidcc("missing-aud", "Rejects an ID token without aud"),
  oidcc("invalid-sig-hs256", "Rejects an ID token with an invalid HS256 signature"),
  oidcc("invalid-sig-es256", "Rejects an ID token with an invalid ES256 signature"),
  oidcc("invalid-athash", "Rejects an ID token for another access token"),
  oidcc("userinfo-bearer-header", "Sends the access token in the header"),
  oidcc("userinfo-bearer-body", "Sends the access token in the body", {
    notOffered: "RFC 6750 requires servers to support the header, and the client uses nothing else.",
  }),
  oidcc("userinfo-signed", "Verifies a signed userinfo response"),
  oidcc("form-post-error", "Shows an error page for an error sent by form_post"),
  oidcc("ignores-unparseable-key-in-jwks", "Ignores published keys that it cannot parse"),
  oidcc("aggregated-claims", "Reads aggregated claims", {
    notOffered: "Apps can read them in `profile`.",
  }),
  oidcc("distributed-claims", "Fetches distributed claims", {
    notOffered: "Apps can fetch them in `profile`.",
  }),
  oidcc("refresh-token", "Refreshes tokens", {
    notOffered: "The service uses tokens for signing in only; apps can refresh them.",
  }),
  oidcc("dynamic-registration", "Registers dynamically with the provider", {
    notOffered: "Apps are registered manually.",
  }),
  oidcc("discovery-webfinger-acct", "Finds the issuer from an account URI", {
    notOffered: "Providers are configured manually.",
  }),
  oidcc("discovery-webfinger-url", "Finds the issuer from a URL", { notOffered: "Providers are configured manually." }),
  oidcc("request-uri-signed-none", "Sends a reference to a request object", {
    notOffered: "Use pushed requests instead.",
  }),
  oidcc("request-uri-signed-rs256", "Sends a reference to a signed request object", {
    notOffered: "Use pushed requests instead.",
  }),
]

const fapi = (name: string, promise: string, more: Omit<Module, "name" | "promise"> = {}): Module => {
  return { name: `fapi2-security-profile-final-client-test-${name}`, promise, ...more }
}

const noDpop = { notOffered: "Sender-constrained tokens (DPoP, mutual TLS) are not supported." }

const fapi2: readonly Module[] = [
  fapi("happy-path", "Signs in with a pushed request, PKCE, private_key_jwt and iss", { ...noDpop, inPart: true }),
  fapi("discovery-issuer-mismatch", "Rejects a discovery document from another issuer"),
  fapi("invalid-iss", "Rejects an ID token from another issuer"),
  fapi("invalid-aud", "Rejects an ID token for another audience"),
  fapi("invalid-secondary-aud", "Rejects an ID token for an unknown additional audience"),
  fapi("invalid-null-alg", "Rejects an unsigned ID token"),
  fapi("invalid-alternate-alg", "Rejects an ID token signed with an unregistered algorithm"),
  fapi("invalid-expired-exp", "Rejects an expired ID token"),
  fapi("invalid-missing-exp", "Rejects an ID token without exp"),
  fapi("invalid-missing-aud", "Rejects an ID token without aud"),
  fapi("invalid-missing-iss", "Rejects an ID token without iss"),
  fapi("valid-aud-as-array", "Accepts aud as a list with one entry"),
  fapi("invalid-nonce", "Rejects an ID token with another nonce"),
  fapi("invalid-missing-nonce", "Rejects an ID token without nonce"),
  fapi("invalid-authorization-response-iss", "Rejects a response from another issuer (RFC 9207)"),
  fapi("remove-authorization-response-iss", "Rejects a response without the announced issuer (RFC 9207)"),
  fapi("ensure-authorization-response-with-invalid-state-fails", "Rejects a response with another state"),
  fapi("ensure-authorization-response-with-invalid-missing-state-fails", "Rejects a response without state"),
  fapi("token-endpoint-response-without-expires_in", "Accepts tokens without a lifetime"),
  fapi("token-type-case-insensitivity", "Accepts the token type in any case"),
  fapi("rs-dpop-auth-scheme-case-insensitivity", "Accepts a DPoP challenge in any case", noDpop),
  fapi("happy-path-no-dpop-nonce", "Signs in without a DPoP nonce", noDpop),
]

const jarm: readonly Module[] = [
  fapi("ensure-jarm-without-iss-fails", "Rejects a signed response without iss"),
  fapi("ensure-jarm-with-invalid-iss-fails", "Rejects a signed response from another issuer"),
  fapi("ensure-jarm-without-aud-fails", "Rejects a signed response without aud"),
  fapi("ensure-jarm-with-invalid-aud-fails", "Rejects a signed response for another audience"),
  fapi("ensure-jarm-without-exp-fails", "Rejects a signed response without exp"),
  fapi("ensure-jarm-with-expired-exp-fails", "Rejects an expired signed response"),
  fapi("ensure-jarm-with-invalid-sig-fails", "Rejects a response with an invalid signature"),
  fapi("ensure-jarm-signature-is-not-none", "Rejects an unsigned response"),
]

const initiated: readonly Module[] = [
  oidcc("rp-init-logout", "Signs out at the provider with the ID token and a state, and comes back"),
  oidcc("rp-init-logout-other-state", "Does not follow a return with another state"),
  oidcc("rp-init-logout-no-state", "Comes back from a provider that gets and returns no state"),
]

const backchannel: readonly Module[] = [
  oidcc("rp-backchannel-rpinitlogout", "Ends the session that a logout token names"),
  oidcc("rp-backchannel-rpinitlogout-alg-none", "Rejects an unsigned logout token"),
  oidcc("rp-backchannel-rpinitlogout-no-event", "Rejects a logout token without events"),
  oidcc("rp-backchannel-rpinitlogout-with-nonce", "Rejects a logout token with a nonce"),
  oidcc("rp-backchannel-rpinitlogout-wrong-alg", "Rejects a logout token signed with an unregistered algorithm"),
  oidcc("rp-backchannel-rpinitlogout-wrong-aud", "Rejects a logout token for another audience"),
  oidcc("rp-backchannel-rpinitlogout-wrong-event", "Rejects a logout token with another event"),
  oidcc("rp-backchannel-rpinitlogout-wrong-iss", "Rejects a logout token from another issuer"),
]

const frontchannel: readonly Module[] = [
  oidcc("rp-frontchannel-rpinitlogout", "Ends the session that the provider's frame names"),
]

export const plans: readonly Plan[] = [
  {
    name: "oidcc-client-basic-certification-test-plan",
    title: "OpenID Connect, Basic RP",
    setup: "Code flow with a query response, `client_secret_basic`.",
    modules: basic,
  },
  {
    name: "oidcc-client-config-certification-test-plan",
    title: "OpenID Connect, Config RP",
    setup: "Code flow with discovery.",
    modules: config,
  },
  {
    name: "oidcc-client-formpost-basic-certification-test-plan",
    title: "OpenID Connect, Form Post RP",
    setup: "Like Basic RP, with form_post.",
    modules: basic,
  },
  {
    name: "oidcc-client-test-plan",
    title: "OpenID Connect, further modules",
    setup: "Modules for relying parties outside the profiles above.",
    modules: further,
  },
  {
    name: "oidcc-client-rp-initiated-logout-rp-basic",
    title: "OpenID Connect, RP-initiated logout",
    setup: "With `providerLogout: providerLogout({ atProvider: true })`.",
    modules: initiated,
  },
  {
    name: "oidcc-client-back-channel-logout-rp-basic",
    title: "OpenID Connect, back-channel logout",
    setup: "With `providerLogout: providerLogout({ backchannel: true })`.",
    modules: backchannel,
  },
  {
    name: "oidcc-client-front-channel-logout-rp-basic",
    title: "OpenID Connect, front-channel logout",
    setup: "With `providerLogout: providerLogout({ frontchannel: true })`.",
    modules: frontchannel,
  },
  {
    name: "fapi2-security-profile-final-client-test-plan",
    title: "FAPI 2 Security Profile, client",
    setup: "Pushed requests, PKCE, `private_key_jwt`, PS256, `iss` in the response; bearer tokens.",
    modules: fapi2,
  },
  {
    name: "fapi2-message-signing-final-client-test-plan",
    title: "FAPI 2 Message Signing, client: signed responses",
    setup: 'Like the plan above, with `response_mode: "jwt"`. Signed requests (JAR) are not supported.',
    modules: jarm,
  },
]
