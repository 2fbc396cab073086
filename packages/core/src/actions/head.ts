import type { PageContext, ReceivedRequest, RouteMethods } from "../features/feature.js"
import { type AuthPath, isRouteName, pageFiles, parseAuthPath, type Routing } from "../http/request.js"
import { noStore, type Reply, wantsRedirectAsJson, withRedirectAsJson } from "../http/response.js"
import type { Awaitable } from "../types/basics.js"

interface HeadContext extends Routing {
  readonly featureRoutes: Readonly<Record<string, RouteMethods>>
  readonly pageContext: Pick<PageContext, "providers">
}

/** The routes of the contract that are pages or files of pages. The others answer HEAD with 400. */
const pages: ReadonlySet<string> = new Set(["error", "signin", "signout", "verify-request", ...pageFiles])

/**
 * Answers `HEAD` for a page as `GET`, without the content (RFC 9110 section 9.3.2). It changes nothing: it sets no cookie,
 * and no mailed link is used up, since mail scanners and previews of links send it.
 * @param answerGet Answers a GET request.
 * @returns null for a route that is not a page
 */
export async function answerHead(
  { request, context }: ReceivedRequest,
  service: HeadContext,
  answerGet: (received: ReceivedRequest) => Awaitable<Reply>,
): Promise<Reply | null> {
  const place = findAuthPath(request.url, service)
  if (place === null) return null
  // Without looking at the link, so that no mail scanner reports a broken one.
  if (isMailedLink(place, service.pageContext)) return { status: 200, headers: noStore }
  if (!isPagePlace(place, service)) return null
  // Routes whose GET uses up a link do not for a prefetch.
  const headers = new Headers([...request.headers, ["sec-purpose", "prefetch"]])
  const reply = await answerGet({ request: { method: "GET", url: request.url, headers, body: null }, context })
  if (reply.status === prefetchStatus && reply.body === undefined) return { status: 200, headers: noStore }
  const { cookies: _, ...shown } = wantsRedirectAsJson({ headers: request.headers }) ? withRedirectAsJson(reply) : reply
  return { ...shown, isBodiless: true }
}

/** The place that an address names. Null for a path that the service does not have. */
export function findAuthPath(address: string, routing: Routing): AuthPath | null {
  try {
    return parseAuthPath(new URL(address).pathname, routing)
  } catch {
    return null
  }
}

/** With `isPrefetch`, in place of the page that a link leads to. */
const prefetchStatus = 503

function isMailedLink({ route, providerId }: AuthPath, { providers }: Pick<PageContext, "providers">): boolean {
  return route === "callback" && providers.get(providerId ?? "")?.type === "email"
}

function isPagePlace({ route }: AuthPath, { featureRoutes }: HeadContext): boolean {
  if (isRouteName(route)) return pages.has(route)
  const methods = featureRoutes[route]
  if (!methods?.GET) return false
  // An answer of its own format may have an effect, such as a sign-out in a frame. A stylesheet or a script has none.
  return methods.format === undefined || (methods.format === "own" && /\.(?:css|js)$/.test(route))
}
