/** What an identity provider answers, and below its issuer where. */
const endpointPaths = {
  discovery: "/.well-known/openid-configuration",
  jwks: "/jwks",
  authorization: "/authorize",
  pushed: "/par",
  token: "/token",
  userinfo: "/userinfo",
} as const

export type Endpoint = keyof typeof endpointPaths

export function findEndpoint(issuer: string, url: URL): Endpoint | null {
  for (const [endpoint, path] of Object.entries(endpointPaths)) {
    // `Object.entries` forgets the names of the keys.
    if (endpointUrl(issuer, path) === url.origin + url.pathname) return endpoint as Endpoint
  }
  return null
}

export function urlOf(issuer: string, endpoint: Endpoint): string {
  return endpointUrl(issuer, endpointPaths[endpoint])
}

function endpointUrl(issuer: string, path: string): string {
  return issuer.replace(/\/$/, "") + path
}

/** A request as it arrived. */
export interface Incoming {
  /** `elsewhere`: sent through the provider's `fetch` to an address that is not the provider's. */
  readonly endpoint: Endpoint | "elsewhere"
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  /** The form of a POST, else the query. */
  readonly params: URLSearchParams
  readonly signal: AbortSignal
}

export async function readIncoming(request: Request, endpoint: Incoming["endpoint"]): Promise<Incoming> {
  const url = new URL(request.url)
  const { method, headers, signal } = request
  const isForm = headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false
  const text = method === "POST" ? await request.text() : ""
  const params = new URLSearchParams(method === "POST" && isForm ? text : url.search)
  return { endpoint, method, url, headers, params, signal }
}

/** The first name that comes twice, which RFC 6749 section 3.1 forbids. */
export function findRepeated(params: URLSearchParams): string | undefined {
  return [...params.keys()].find((name) => params.getAll(name).length > 1)
}

/** An answer with an error, RFC 6749 sections 4.1.2.1 and 5.2. */
export class Refusal extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, description: string, status = 400) {
    super(description)
    this.code = code
    this.status = status
  }
}

export function refuse(code: string, description: string, status = 400): never {
  throw new Refusal(code, description, status)
}

/** The answer of an endpoint that speaks JSON. */
export function jsonAnswer(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } })
}

export function toErrorAnswer({ code, message, status }: Refusal): Response {
  const challenge = status === 401 ? { "www-authenticate": `Bearer error="${code}"` } : {}
  return jsonAnswer({ error: code, error_description: message }, status, challenge)
}
