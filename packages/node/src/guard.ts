import { AuthError } from "@latchkey/core/errors"
import type { NodeRequest } from "./node-request.js"
import { type OriginOptions, resolveOrigin } from "./origin.js"
import type { Settings } from "./settings.js"
import { readTarget, toPath } from "./web-request.js"

/**
 * What becomes of a request for something guarded when nobody is signed in. `pass`: it is for the host's own sign-in
 * page, which must stay open. `signIn`: a page was loaded, so answer 303 to `url`. `refuse`: answer 401.
 */
export type GuardAnswer =
  | { readonly kind: "pass" }
  | { readonly kind: "signIn"; readonly url: string }
  | { readonly kind: "refuse" }

/** What is said to clients that are refused. */
export const refusalText = "Sign in to continue."

/**
 * Decides for a guard. The visitor comes back after signing in.
 * @throws AuthError for the built-in sign-in page: it would have been answered before it met a guard, if the service
 *   were where the settings say it is
 */
export function decideGuard(request: NodeRequest, settings: Settings, options: OriginOptions = {}): GuardAnswer {
  const { config, basePath } = settings
  const ownPage = config.pages?.signIn
  const page = ownPage ?? `${basePath}/signin`
  const target = readTarget(request)
  if (isSamePage(page, target, () => settings.origin ?? resolveOrigin(request, options))) {
    if (ownPage !== undefined) return { kind: "pass" }
    throw new AuthError(
      `The sign-in page "${page}" is guarded itself, which would send visitors round in circles: mount the service before the guard, and set basePath to where that is`,
    )
  }
  return isPageLoad(request) ? { kind: "signIn", url: withCallbackUrl(page, target) } : { kind: "refuse" }
}

function isSamePage(page: string, target: string, findOrigin: () => string): boolean {
  if (page.startsWith("/")) return toPath(page) === toPath(target)
  const url = URL.parse(page)
  return url?.pathname === toPath(target) && url.origin === findOrigin()
}

/** Clients who take anything are told, not sent round. */
function isPageLoad({ method, headers: { accept = "" } }: NodeRequest): boolean {
  if (method !== "GET" && method !== "HEAD") return false
  return findQuality(accept, "text/html") > findQuality(accept, "application/json")
}

/** RFC 9110 section 12.5.1: how much a media type is wanted, by the most specific range that it fits. */
function findQuality(accept: string, type: string): number {
  const ranges = accept.split(",").map(parseRange)
  const fitting = [type, `${type.split("/", 1)[0]}/*`, "*/*"]
  for (const name of fitting) {
    const range = ranges.find((one) => one.name === name)
    if (range) return range.quality
  }
  return 0
}

function parseRange(text: string): { readonly name: string; readonly quality: number } {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  const quality = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1)
  return { name, quality: Math.max(quality, 0) }
}

/** Two leading slashes would name another host. */
function withCallbackUrl(page: string, target: string): string {
  const callbackUrl = encodeURIComponent(target.replace(/^[\\/]+/, "/"))
  return `${page}${page.includes("?") ? "&" : "?"}callbackUrl=${callbackUrl}`
}
