/** The endpoints of an identity provider, and their paths below the issuer. */
const endpointPaths = {
  discovery: "/.well-known/openid-configuration",
  jwks: "/jwks",
  authorization: "/authorize",
  pushed: "/par",
  token: "/token",
  userinfo: "/userinfo",
  logout: "/logout",
} as const

/** An endpoint of the fake identity provider. */
export type Endpoint = keyof typeof endpointPaths

/** The endpoint at a URL. Null for any other path. */
export function findEndpoint(issuer: string, url: URL): Endpoint | null {
  for (const [endpoint, path] of Object.entries(endpointPaths)) {
    // as: `Object.entries` widens the keys to strings
    if (endpointUrl(issuer, path) === url.origin + url.pathname) return endpoint as Endpoint
  }
  return null
}

/** The URL of an endpoint. */
export function urlOf(issuer: string, endpoint: Endpoint): string {
  return endpointUrl(issuer, endpointPaths[endpoint])
}

function endpointUrl(issuer: string, path: string): string {
  return issuer.replace(/\/$/, "") + path
}

/** A request that the identity provider received. */
export interface Incoming {
  /** `elsewhere` for a request through the provider's `fetch` to another origin. */
  readonly endpoint: Endpoint | "elsewhere"
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  /** The form of a POST, or the query. */
  readonly params: URLSearchParams
  readonly signal: AbortSignal
}

/** Reads the parameters of a request. */
export async function readIncoming(request: Request, endpoint: Incoming["endpoint"]): Promise<Incoming> {
  const url = new URL(request.url)
  const { method, headers, signal } = request
  const isForm = headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false
  const text = method === "POST" ? await request.text() : ""
  const params = new URLSearchParams(method === "POST" && isForm ? text : url.search)
  return { endpoint, method, url, headers, params, signal }
}

/** The first parameter that occurs twice, which RFC 6749 section 3.1 forbids. */
export function findRepeatedParameter(params: URLSearchParams): string | undefined {
  return [...params.keys()].find((name) => params.getAll(name).length > 1)
}

/** An error response, RFC 6749 sections 4.1.2.1 and 5.2. */
export class OAuthError extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, description: string, status = 400) {
    super(description)
    this.code = code
    this.status = status
  }
}

/** @throws OAuthError with this code and description */
export function fail(code: string, description: string, status = 400): never {
  throw new OAuthError(code, description, status)
}

/** A JSON response that must not be cached. */
export function jsonResponse(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } })
}

/** The response of a JSON endpoint to an error. */
export function errorResponse({ code, message, status }: OAuthError): Response {
  const challenge = status === 401 ? { "www-authenticate": `Bearer error="${code}"` } : {}
  return jsonResponse({ error: code, error_description: message }, status, challenge)
}

/** @throws OAuthError unless the parameters are in the body of a POST, each of them once */
export function assertFormPost({ method, params, url }: Incoming): void {
  if (method !== "POST") fail("invalid_request", "Only POST is allowed", 405)
  if (url.search !== "") fail("invalid_request", "Parameters belong in the body")
  const repeated = findRepeatedParameter(params)
  if (repeated) fail("invalid_request", `The parameter ${repeated} occurs twice`)
}
