import { forbidPlatformCaching, forbidSharedCaching } from "../http/caching.js"
import { type BoundAuth, bindAuth } from "./bind-auth.js"
import { answerRequest, isServicePath } from "./handler.js"
import type { CookieOptions, FindCaller } from "./request-auth.js"

/** The authentication of one Web request, for frameworks whose middleware sees the response. */
export interface WebAuth extends BoundAuth<Response> {
  /** Answers a request to the service. Null for other requests, which belong to the app. */
  answer(): Promise<Response | null>
  /**
   * Adds the cookies of a renewed session and of actions to the app's response, which shared caches may then not store, nor the
   * response to a request that was refused. Leaves out cookies that the response sets itself.
   * @returns another response if the headers of this one are immutable
   */
  complete(response: Response): Response
}

/** A request, and what its framework knows about it. */
export interface WebVisit extends Pick<CookieOptions, "writer" | "setHeaders"> {
  readonly request: Request
  /**
   * The page that the framework routes to, if the URL of the request is another: that of the page's data, or one without
   * the dot segments that the router sees.
   */
  readonly page?: Pick<URL, "pathname" | "search"> | undefined
  /** As in `AuthBinding`. */
  readonly isNavigation?: boolean | undefined
}

/** Creates the authentication of a request. */
export function createWebAuth(visit: WebVisit, findCaller: FindCaller): WebAuth {
  const { request, page, isNavigation = false, writer, setHeaders } = visit
  const bound = bindAuth<Response>({
    findCaller() {
      forbidPlatformCaching(request)
      return findCaller()
    },
    isNavigation,
    writer,
    setHeaders,
    refuse: (response) => response,
    readTarget() {
      const { pathname, search } = page ?? new URL(request.url)
      return `${pathname}${search}`
    },
  })
  return {
    ...bound,
    async answer() {
      const { caller, settings } = await findCaller()
      if (!isServicePath(new URL(request.url).pathname, settings.basePath, settings.config)) return null
      forbidPlatformCaching(request)
      return await answerRequest(request, caller, settings)
    },
    complete(response) {
      const lines = bound.takeCookies(response.headers.getSetCookie())
      if ((lines.length === 0 && !bound.hasRefused()) || response.status === 101) return response // An upgrade cannot be changed.
      // A copy: the headers of some responses, such as `Response.redirect`, are immutable.
      const changed = new Response(response.body, response)
      for (const [name, value] of Object.entries(bound.takeHeaders())) changed.headers.set(name, value)
      for (const line of lines) changed.headers.append("set-cookie", line)
      forbidSharedCaching(changed.headers)
      return changed
    },
  }
}

/** The address of the client, where a framework throws if its server does not know it. */
export function findContextAddress(read: () => string | undefined): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
