import { resolveOrigin } from "@latchkey/core"
import { InvalidConfiguration } from "@latchkey/core/errors"
import { isServicePath, readSession } from "@latchkey/core/integration"
import type { Awaitable, Session } from "@latchkey/core/types"
import { type NextRequest, NextResponse } from "next/server.js"
import { readAppPath } from "./app-paths.js"
import { report, toCaller } from "./caller.js"
import type { NextAuthConfig } from "./config.js"
import { withSession } from "./pass-on.js"
import { refuseHost } from "./service-request.js"
import type { NextSettings } from "./settings.js"

/** What the app's own function of the proxy answers; nothing lets the request pass. */
export type ProxyAnswer = (session: Session | null) => Awaitable<Response | undefined>

/** What is asked of the proxy, and what the configuration says to it. */
interface Arrival {
  readonly request: NextRequest
  readonly origin: string
  readonly settings: NextSettings["settings"]
}

/**
 * The answer of `proxy.ts` (or `middleware.ts`): who may not pass is sent to the sign-in page, and a renewed session
 * reaches the browser and the pages of this same request.
 *
 * The service's own paths always pass, and nothing else is asked for them: people sign in there, and it renews or ends
 * the session itself.
 * @throws AuthError when the service cannot say whose session it is: nobody passes then
 */
export async function guard(
  request: NextRequest,
  known: NextSettings,
  given: NextAuthConfig,
  answer: ProxyAnswer = () => undefined,
): Promise<Response> {
  const { settings, mount } = known
  if (isServicePath(request.nextUrl.pathname, mount.path)) return NextResponse.next()
  let origin: string
  try {
    origin = resolveOrigin(request.headers, { origin: settings.origin, trustProxy: true })
  } catch (error) {
    return refuseHost(error, request, known)
  }
  const { session, cookies } = await readSession(toCaller(request.headers, settings.config), settings)
  const refusal = await findRefusal({ request, origin, settings }, given, session)
  const response = refusal ?? (await answer(session)) ?? NextResponse.next()
  return withSession(response, request, cookies)
}

async function findRefusal(
  arrival: Arrival,
  { callbacks }: NextAuthConfig,
  session: Session | null,
): Promise<Response | undefined> {
  if (!callbacks?.authorized) return undefined
  const { request } = arrival
  const verdict = await callbacks.authorized({ auth: session, request })
  if (isResponse(verdict)) return toAnswer(verdict, arrival)
  if (verdict || isOpenPage(arrival)) return undefined
  const target = new URL(toSignInPage(arrival.settings), arrival.origin)
  target.searchParams.set("callbackUrl", toPublicUrl(arrival).href)
  // A form that is sent on as it is would be sent to a page.
  const status = isRead(request) ? 307 : 303
  return new Response(null, { status, headers: { location: target.href } })
}

/**
 * What `authorized` answers, unless it sends visitors to where they are: browsers would go round until they give up. A
 * page that is open is shown then; any other is refused, since nobody said that it may be shown.
 */
function toAnswer(verdict: Response, arrival: Arrival): Response | undefined {
  const location = verdict.headers.get("location")
  if (location === null) return verdict
  const here = toPublicUrl(arrival)
  const target = URL.parse(location, here.href)
  if (!target || ![here.origin, arrival.request.nextUrl.origin].includes(target.origin)) return verdict
  const isSamePage = withoutSlash(target.pathname) === withoutSlash(here.pathname)
  if (isSamePage && isOpenPage(arrival)) return undefined
  const isLoop = isSamePage && target.search === here.search && isRead(arrival.request)
  if (!isLoop || verdict.headers.has("set-cookie")) return verdict
  const { settings, request } = arrival
  const sentence = `callbacks.authorized: sends visitors of ${here.pathname} to ${here.pathname}. Return false, or true where they may stay`
  report(new InvalidConfiguration(sentence), request.headers, settings.config)
  return Response.json(
    { message: "This page sends its visitors back to itself. The server's log says more." },
    { status: 500 },
  )
}

/** Pages for people who are not signed in: behind a sign-in, they would send visitors round in circles. */
function isOpenPage(arrival: Arrival): boolean {
  const { settings, origin, request } = arrival
  const { error, verifyRequest } = settings.config.pages ?? {}
  const inEveryLanguage = `${readAppPath()}${request.nextUrl.pathname}`
  const here = [toPublicUrl(arrival).pathname, inEveryLanguage].map(withoutSlash)
  return [toSignInPage(settings), error, verifyRequest].some((page) => {
    const address = page === undefined ? null : URL.parse(page, origin)
    return address !== null && here.includes(withoutSlash(address.pathname))
  })
}

function toSignInPage({ config, basePath }: NextSettings["settings"]): string {
  return config.pages?.signIn ?? `${basePath}/signin`
}

/** Next's `basePath` and the language are in `href` alone. */
function toPublicUrl({ request, origin }: Arrival): URL {
  const { pathname, search } = new URL(request.nextUrl.href)
  const url = new URL(origin)
  url.pathname = pathname // By itself: a path with two leading slashes, resolved against an origin, names another host.
  url.search = search
  return url
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "")
}

/** Not by its class, of which there may be several. In plain JavaScript it may be anything that is true or not. */
function isResponse(verdict: unknown): verdict is Response {
  return typeof verdict === "object" && verdict !== null && "headers" in verdict && "status" in verdict
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD"
}
