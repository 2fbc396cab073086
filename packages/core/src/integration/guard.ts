import { AuthError } from "../errors/auth-error.js"
import { findPreferred } from "../http/accept.js"
import { withQuery } from "../http/response.js"
import type { Settings } from "./config.js"
import { toPath } from "./config.js"

/** The parts of a request that a guard decides by. */
export interface GuardedRequest {
  readonly method: string | undefined
  /** The `Accept` header. */
  readonly accept: string | null | undefined
  /** The `Authorization` header. */
  readonly authorization: string | null | undefined
  /** Path and query, as the browser sent them. */
  readonly target: string
  /** Where the sign-in page returns to. Default: the target. */
  readonly callbackUrl?: string | undefined
  /** Returns the public origin. Called only if `pages.signIn` is an absolute URL with the path of the request. */
  findOrigin(): string
}

/**
 * How to answer a guarded request without a session. `pass`: it is for the host's own sign-in page, which must stay
 * open. `signIn`: a page was requested, so redirect to `url` with 303. `refuse`: answer 401. Send `headers` with both: caches
 * must not keep an answer that is only for this visitor.
 */
export type GuardAnswer =
  | { readonly kind: "pass" }
  | { readonly kind: "signIn"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "refuse"; readonly headers: Readonly<Record<string, string>> }

/** The message of a 401 response. */
export const refusalText = "Sign in to continue."

/**
 * Decides how a guard answers a request without a session. The sign-in page redirects back to the request's target.
 * @throws AuthError for the built-in sign-in page, which the service answers before any guard if it is mounted where the
 *   settings expect it
 */
export function decideGuard(request: GuardedRequest, { config, basePath }: Settings): GuardAnswer {
  const ownPage = config.pages?.signIn ?? undefined // JavaScript hosts may set null.
  const page = ownPage ?? `${basePath}/signin`
  if (isSamePage(page, request)) {
    if (ownPage !== undefined) return { kind: "pass" }
    throw new AuthError(
      `The guard covers the sign-in page itself ("${page}"), so browsers would be redirected forever. Mount the endpoints before the guard, and set basePath to the path they are mounted on`,
    )
  }
  const headers = { "cache-control": "private, no-store" }
  const { method, accept } = request
  // Clients that accept anything get 401 rather than a redirect.
  const isLoad = (method === "GET" || method === "HEAD") && findPreferred(accept) === "page"
  if (!isLoad) {
    return { kind: "refuse", headers: config.nativeApps ? { ...headers, ...toChallenge(request) } : headers }
  }
  // Two leading slashes would name another host.
  const { callbackUrl = request.target.replace(/^[\\/]+/, "/") } = request
  return { kind: "signIn", url: withQuery(page, { callbackUrl }), headers }
}

/** How a native app signs in, RFC 6750 section 3. */
function toChallenge({ authorization }: GuardedRequest): Readonly<Record<string, string>> {
  const isSent = /^bearer /i.test(authorization ?? "")
  return { "www-authenticate": isSent ? 'Bearer error="invalid_token"' : "Bearer" }
}

function isSamePage(page: string, { target, findOrigin }: GuardedRequest): boolean {
  // Browsers send no fragment. Some routers take it for a part of the path, and so see another page.
  if (target.includes("#")) return false
  const path = toPath(target)
  // A configured path may hold characters that browsers encode.
  if (page.startsWith("/")) return path === toPath(page) || path === URL.parse(page, "http://localhost")?.pathname
  const url = URL.parse(page)
  return url?.pathname === path && url.origin === findOrigin()
}
