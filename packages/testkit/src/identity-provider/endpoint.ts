/** What an identity provider answers, and below its issuer where. */
export const endpointPaths = {
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
