import { createLocalJWKSet, decodeJwt, type JWK, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose"
import { type Incoming, refuse } from "./endpoint.js"

/** How an app proves who it is where it calls the provider itself. */
export type ClientAuthMethod =
  | "client_secret_basic"
  | "client_secret_post"
  | "client_secret_jwt"
  | "private_key_jwt"
  | "none"

/** An app as it is registered at the identity provider, RFC 7591 section 2. */
export interface Client {
  readonly client_id: string
  /** Default where the method needs one: a random text. */
  readonly client_secret?: string
  /** Default: `client_secret_basic`. */
  readonly token_endpoint_auth_method?: ClientAuthMethod
  /**
   * Compared exactly. Default: whatever the app says first, which must then be repeated exactly at the token endpoint.
   */
  readonly redirect_uris?: readonly string[]
  /** Public keys for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly JWK[] }
  /** Refuses authorization requests without a code challenge. Default: false. */
  readonly require_pkce?: boolean
  /** Refuses authorization requests that were not pushed, RFC 9126 section 6. Default: false. */
  readonly require_pushed_authorization_requests?: boolean
}

/** A registered app with every default filled in. */
export interface RegisteredClient extends Client {
  readonly client_secret: string
  readonly token_endpoint_auth_method: ClientAuthMethod
}

/** The app that is registered where a test names none. */
export const defaultClient: Client = { client_id: "rp" }

export function registerClient(client: Client): RegisteredClient {
  return { client_secret: `idp-${crypto.randomUUID()}`, token_endpoint_auth_method: "client_secret_basic", ...client }
}

/** How an app showed up at the token endpoint. */
interface Presented {
  readonly method: ClientAuthMethod | "jwt"
  readonly clientId: string
  /** Secret or assertion. */
  readonly proof: string
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/**
 * Finds out which app asks at the token endpoint or hands over a request, and that it is that one: in exactly one way,
 * the registered one (RFC 6749 section 2.3).
 * @throws Refusal `invalid_client`.
 */
export async function authenticateClient(
  incoming: Incoming,
  clients: readonly RegisteredClient[],
  issuer: string,
): Promise<RegisteredClient> {
  const presented = readPresented(incoming)
  const client = clients.find(({ client_id }) => client_id === presented.clientId)
  if (!client) return refuse("invalid_client", "No app of this client_id is registered", 401)
  const registered = client.token_endpoint_auth_method
  const isRegistered = presented.method === "jwt" ? registered.endsWith("_jwt") : registered === presented.method
  if (!isRegistered) refuse("invalid_client", `The app is registered for ${registered}`, 401)
  if (presented.method === "jwt") await assertAssertion(presented.proof, client, issuer)
  else if (presented.method !== "none" && presented.proof !== client.client_secret) {
    refuse("invalid_client", "The secret is wrong", 401)
  }
  return client
}

function readPresented({ headers, params }: Incoming): Presented {
  const authorization = headers.get("authorization")
  const ways = [
    authorization === null ? [] : [readBasic(authorization)],
    params.has("client_secret") ? [readPosted(params)] : [],
    params.has("client_assertion") ? [readAssertion(params)] : [],
  ].flat()
  const [way, second] = ways
  if (second) refuse("invalid_request", "The app authenticates in more than one way")
  return way ?? { method: "none", clientId: params.get("client_id") ?? "", proof: "" }
}

/** Both parts are form-encoded before they are joined, RFC 6749 section 2.3.1. */
function readBasic(authorization: string): Presented {
  const encoded =
    /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1] ?? refuse("invalid_client", "Not a Basic header", 401)
  const [id, secret, rest] = atob(encoded).split(":")
  if (id === undefined || secret === undefined || rest !== undefined)
    refuse("invalid_client", "Not an id and a secret", 401)
  return { method: "client_secret_basic", clientId: decodeFormText(id ?? ""), proof: decodeFormText(secret ?? "") }
}

function decodeFormText(text: string): string {
  return new URLSearchParams(`text=${text}`).get("text") ?? ""
}

function readPosted(params: URLSearchParams): Presented {
  return {
    method: "client_secret_post",
    clientId: params.get("client_id") ?? "",
    proof: params.get("client_secret") ?? "",
  }
}

function readAssertion(params: URLSearchParams): Presented {
  if (params.get("client_assertion_type") !== assertionType)
    refuse("invalid_client", "Unknown client_assertion_type", 401)
  const proof = params.get("client_assertion") ?? ""
  return { method: "jwt", clientId: readSubject(proof), proof }
}

function readSubject(assertion: string): string {
  try {
    return decodeJwt(assertion).sub ?? ""
  } catch {
    // What is no token names nobody: the app is then not found.
    return ""
  }
}

const longestAssertionSeconds = 300

/** RFC 7523 section 3, and its update: the audience is the issuer's name alone. */
async function assertAssertion(assertion: string, client: RegisteredClient, issuer: string): Promise<void> {
  const expected: JWTVerifyOptions = {
    issuer: client.client_id,
    subject: client.client_id,
    audience: issuer,
    requiredClaims: ["exp", "jti"],
  }
  const claims = await verify(assertion, client, expected)
  if (claims === null) return refuse("invalid_client", "The assertion is not valid", 401)
  if (claims.aud !== issuer) refuse("invalid_client", "The assertion has more than one audience", 401)
  if ((claims.exp ?? 0) > Date.now() / 1000 + longestAssertionSeconds)
    refuse("invalid_client", "The assertion lives too long", 401)
}

async function verify(
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
    // Whatever is wrong with it, the answer is the same.
    return null
  }
}
