import { createLocalJWKSet, decodeJwt, type JWK, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose"
import { fail, type Incoming } from "./endpoint.js"

/** How a client authenticates at the token endpoint. */
export type ClientAuthMethod =
  | "client_secret_basic"
  | "client_secret_post"
  | "client_secret_jwt"
  | "private_key_jwt"
  | "none"

/** A client registered at the identity provider, RFC 7591 section 2. */
export interface Client {
  readonly client_id: string
  /** Default: a random secret. */
  readonly client_secret?: string | undefined
  /** Default: `client_secret_basic`. */
  readonly token_endpoint_auth_method?: ClientAuthMethod | undefined
  /**
   * Compared exactly. Default: any; the token request must repeat the one of the authorization request.
   */
  readonly redirect_uris?: readonly string[] | undefined
  /** Compared exactly, OpenID Connect RP-Initiated Logout 1.0 section 3.1. Default: any. */
  readonly post_logout_redirect_uris?: readonly string[] | undefined
  /** Public keys for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly JWK[] } | undefined
  /** Rejects authorization requests without a code challenge. Default: false. */
  readonly require_pkce?: boolean | undefined
  /** Rejects authorization requests that were not pushed, RFC 9126 section 6. Default: false. */
  readonly require_pushed_authorization_requests?: boolean | undefined
}

/** A registered client with defaults filled in. */
export interface RegisteredClient extends Client {
  readonly client_secret: string
  readonly token_endpoint_auth_method: ClientAuthMethod
}

/** The client that is registered by default. */
export const defaultClient: Client = { client_id: "rp" }

/** Fills in a client's defaults. */
export function registerClient(client: Client): RegisteredClient {
  const { client_secret = `idp-${crypto.randomUUID()}`, token_endpoint_auth_method = "client_secret_basic" } = client
  return { ...client, client_secret, token_endpoint_auth_method }
}

/** The credentials of a request. */
interface ClientCredentials {
  readonly method: ClientAuthMethod | "jwt"
  readonly clientId: string
  /** Secret or assertion. */
  readonly proof: string
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/**
 * Authenticates the client of a token request or pushed request, by exactly one method: the registered one (RFC 6749
 * section 2.3).
 * @throws OAuthError `invalid_client`.
 */
export async function authenticateClient(
  incoming: Incoming,
  clients: readonly RegisteredClient[],
  issuer: string,
): Promise<RegisteredClient> {
  const credentials = readCredentials(incoming)
  const client = clients.find(({ client_id }) => client_id === credentials.clientId)
  if (!client) return fail("invalid_client", "No client is registered with this client_id", 401)
  const registered = client.token_endpoint_auth_method
  const isRegistered = credentials.method === "jwt" ? registered.endsWith("_jwt") : registered === credentials.method
  if (!isRegistered) fail("invalid_client", `The client is registered for ${registered}`, 401)
  if (credentials.method === "jwt") await assertAssertion(credentials.proof, client, issuer)
  else if (credentials.method !== "none" && credentials.proof !== client.client_secret) {
    fail("invalid_client", "The secret is wrong", 401)
  }
  return client
}

function readCredentials({ headers, params }: Incoming): ClientCredentials {
  const authorization = headers.get("authorization")
  const found = [
    authorization === null ? [] : [readBasic(authorization)],
    params.has("client_secret") ? [readPosted(params)] : [],
    params.has("client_assertion") ? [readAssertion(params)] : [],
  ].flat()
  const [first, second] = found
  if (second) fail("invalid_request", "The client uses more than one authentication method")
  return first ?? { method: "none", clientId: params.get("client_id") ?? "", proof: "" }
}

/** Both parts are form-encoded before they are joined, RFC 6749 section 2.3.1. */
function readBasic(authorization: string): ClientCredentials {
  const encoded =
    /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1] ??
    fail("invalid_client", "The Authorization header is not Basic", 401)
  const [id, secret, rest] = atob(encoded).split(":")
  if (id === undefined || secret === undefined || rest !== undefined)
    fail("invalid_client", "The Basic credentials are not an id and a secret", 401)
  return { method: "client_secret_basic", clientId: decodeFormText(id ?? ""), proof: decodeFormText(secret ?? "") }
}

function decodeFormText(text: string): string {
  return new URLSearchParams(`text=${text}`).get("text") ?? ""
}

function readPosted(params: URLSearchParams): ClientCredentials {
  return {
    method: "client_secret_post",
    clientId: params.get("client_id") ?? "",
    proof: params.get("client_secret") ?? "",
  }
}

function readAssertion(params: URLSearchParams): ClientCredentials {
  if (params.get("client_assertion_type") !== assertionType)
    fail("invalid_client", "Unknown client_assertion_type", 401)
  const proof = params.get("client_assertion") ?? ""
  return { method: "jwt", clientId: readSubject(proof), proof }
}

function readSubject(assertion: string): string {
  try {
    return decodeJwt(assertion).sub ?? ""
  } catch {
    // A malformed token names no client, so the lookup fails.
    return ""
  }
}

const maxAssertionLifetimeSeconds = 300

/** RFC 7523 section 3, and its update: the issuer is the only audience. */
async function assertAssertion(assertion: string, client: RegisteredClient, issuer: string): Promise<void> {
  const expected: JWTVerifyOptions = {
    issuer: client.client_id,
    subject: client.client_id,
    audience: issuer,
    requiredClaims: ["exp", "jti"],
  }
  const claims = await verifyAssertion(assertion, client, expected)
  if (claims === null) return fail("invalid_client", "The assertion is not valid", 401)
  if (claims.aud !== issuer) fail("invalid_client", "The assertion has more than one audience", 401)
  if ((claims.exp ?? 0) > Date.now() / 1000 + maxAssertionLifetimeSeconds)
    fail("invalid_client", "The assertion expires too late", 401)
}

async function verifyAssertion(
  assertion: string,
  client: RegisteredClient,
  expected: JWTVerifyOptions,
): Promise<JWTPayload | null> {
  const isSecret = client.token_endpoint_auth_method === "client_secret_jwt"
  const algorithms = isSecret ? ["HS256", "HS384", "HS512"] : ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"]
  const options = { ...expected, algorithms, currentDate: new Date() }
  try {
    const { payload } = isSecret
      ? await jwtVerify(assertion, new TextEncoder().encode(client.client_secret), options)
      : await jwtVerify(assertion, createLocalJWKSet({ keys: [...(client.jwks?.keys ?? [])] }), options)
    return payload
  } catch {
    // Every invalid assertion gets the same response.
    return null
  }
}
