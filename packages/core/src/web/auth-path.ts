import { type AuthAction, authActions } from "../contract/action.js"
import { UnknownAction } from "../errors/request.js"

/** What the service answers below its base path: the actions of the contract, and what the built-in pages load. */
export type RouteName = AuthAction | "style.css" | "webauthn.js"

export interface AuthPath {
  readonly route: RouteName
  readonly providerId: string | undefined
}

const actionNames: ReadonlySet<string> = new Set(authActions)
const actionsWithProvider: ReadonlySet<string> = new Set(["signin", "callback", "webauthn-options"])

/** Whether the text names an action. Names are case sensitive. */
export function isAuthAction(text: string): text is AuthAction {
  return actionNames.has(text)
}

/**
 * The base path without a trailing slash and encoded as URLs have it; empty when the service is mounted at the root. It
 * is text, not a pattern.
 */
export function normalizeBasePath(basePath: string): string {
  const trimmed = basePath.replace(/^\/+|\/+$/g, "")
  return trimmed === "" ? "" : new URL(`http://localhost/${trimmed}`).pathname
}

/**
 * Reads `<basePath>/<action>[/<provider>]`. Empty segments are dropped, whole segments are compared.
 * @throws UnknownAction for anything else
 */
export function parseAuthPath(pathname: string, basePath: string): AuthPath {
  if (basePath !== "" && !pathname.startsWith(`${basePath}/`))
    throw new UnknownAction("The path is outside the base path")
  const path = pathname.slice(basePath.length + 1)
  if (isRouteName(path)) return { route: path, providerId: undefined }
  const [route, providerId, ...rest] = path.split("/").filter(Boolean)
  if (route === undefined || !isRouteName(route)) throw new UnknownAction("There is no such action")
  const allowed = actionsWithProvider.has(route) ? 1 : 0
  if (rest.length + (providerId === undefined ? 0 : 1) > allowed)
    throw new UnknownAction("The path has too many segments")
  return { route, providerId }
}

function isRouteName(text: string): text is RouteName {
  return text === "style.css" || text === "webauthn.js" || isAuthAction(text)
}

/** The provider that an address names, whatever else is wrong with it; for the log. */
export function findProviderId(address: string, basePath: string): string | undefined {
  try {
    return parseAuthPath(new URL(address).pathname, basePath).providerId
  } catch {
    return undefined // No path of the service: no provider of it either.
  }
}
