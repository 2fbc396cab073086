import { type Fault, type FaultContext, type Members, without } from "./fault.js"

/** Faults of the discovery document and the key set. */
export type DiscoveryFaultName =
  | "discovery-issuer-wrong"
  | "discovery-issuer-missing"
  | "discovery-issuer-with-slash"
  | "discovery-without-pkce"
  | "discovery-without-iss-support"
  | "discovery-token-endpoint-missing"
  | "discovery-authorization-endpoint-missing"
  | "discovery-jwks-missing"
  | "discovery-token-endpoint-plain-http"
  | "discovery-token-endpoint-loopback"
  | "discovery-token-endpoint-link-local"
  | "discovery-token-endpoint-private"
  | "discovery-token-endpoint-file"
  | "jwks-empty"
  | "jwks-with-broken-keys"

const discovery = "OpenID Connect Discovery 1.0 section "

/** Faults of the discovery document and the key set. */
export const discoveryFaults: Readonly<Record<DiscoveryFaultName, Fault>> = {
  "discovery-issuer-wrong": refused(`${discovery}4.3`, (given) => ({ ...given, issuer: "https://evil.test" })),
  "discovery-issuer-missing": refused(`${discovery}3`, (given) => without(given, "issuer")),
  "discovery-issuer-with-slash": refused(`${discovery}4.3`, (given, { issuer }) => ({
    ...given,
    issuer: `${issuer}/`,
  })),
  "discovery-without-pkce": {
    ...refused("RFC 9700 section 4.8", (given) => without(given, "code_challenge_methods_supported")),
    outcome: "accepted",
  },
  "discovery-without-iss-support": {
    ...refused("RFC 9207 section 3", (given) => without(given, "authorization_response_iss_parameter_supported")),
    outcome: "accepted",
  },
  "discovery-token-endpoint-missing": refused(`${discovery}3`, (given) => without(given, "token_endpoint")),
  "discovery-authorization-endpoint-missing": refused(`${discovery}3`, (given) =>
    without(given, "authorization_endpoint"),
  ),
  "discovery-jwks-missing": refused(`${discovery}3`, (given) => without(given, "jwks_uri")),
  "discovery-token-endpoint-plain-http": tokenEndpointAt("http://idp.test/token"),
  "discovery-token-endpoint-loopback": { ...tokenEndpointAt("http://127.0.0.1:6379/"), outcome: "choice" },
  "discovery-token-endpoint-link-local": tokenEndpointAt("http://169.254.169.254/"),
  "discovery-token-endpoint-private": { ...tokenEndpointAt("https://10.0.0.1/"), outcome: "choice" },
  "discovery-token-endpoint-file": tokenEndpointAt("file:///etc/passwd"),
  "jwks-empty": {
    stage: "jwks",
    outcome: "refused",
    source: "OpenID Connect Core 1.0 section 10.1",
    effects: { jwks: () => [] },
  },
  "jwks-with-broken-keys": {
    stage: "jwks",
    outcome: "accepted",
    source: "RFC 7517 section 5",
    effects: {
      jwks: (keys) => [{ kty: "RSA", kid: "broken", n: "!", e: "!" }, { kty: "alien", kid: "alien" }, ...keys],
    },
  },
}

function refused(source: string, change: (given: Members, context: FaultContext) => Members): Fault {
  return { stage: "discovery", outcome: "refused", source, effects: { metadata: change } }
}

function tokenEndpointAt(url: string): Fault {
  return refused("CWE-918", (given) => ({ ...given, token_endpoint: url }))
}
