import type { AuthMethod } from "../../account/proof.js"
import { AccessDenied } from "../../errors/errors.js"
import type { Store } from "../../host/store.js"
import { isPage } from "../../http/accept.js"
import { toSetJar } from "../../http/cookies.js"
import { ownCookies, toOwnCookie } from "../../http/own-cookies.js"
import { type AuthRequest, pageFiles } from "../../http/request.js"
import { json, noStore, Refusal, type Reply } from "../../http/response.js"
import { systemClock } from "../../runtime/promise.js"
import { readSessionCookies } from "../../session/cookies.js"
import type { MovedSession, SessionRequest } from "../../session/session.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { Awaitable } from "../../types/basics.js"
import type { ResponseCookie } from "../../types/http.js"
import type { Acceptor, ActionContext, Feature } from "../feature.js"
import { clearAll, noteSignIn, noteSignOut, rememberSource } from "./endings.js"
import { findMoving } from "./find.js"
import { findLast, isEnded, lead, type Moving, preview } from "./lead.js"
import { createMarks, createUserMarks } from "./marks.js"
import type { Source } from "./source.js"
import { listNames, replaceCookies } from "./values.js"

type Next = (own: AuthRequest) => Awaitable<Reply>

/** What the readers of a configuration do for the service. */
export type Acceptance = Acceptor & Required<Pick<Feature, "onSessionStart" | "onSignOut" | "onEndAll">>

const files: readonly string[] = pageFiles

export function createAcceptor(sources: readonly Source[]): Acceptance {
  const names = sources.flatMap((source) => source.names)
  const known = new WeakSet<object>()

  /** The readers whose cookies a request has: none for nearly every request, after one search for each name. */
  function listPresent({ headers, cookies }: SessionRequest, { log }: ActionContext): readonly Source[] {
    if (!known.has(log)) {
      known.add(log)
      sources.forEach((source, n) => {
        if (source.isOver()) log.warnOnce("accept-over", `session.accept[${n}]: ${source.reader.name}`)
      })
    }
    const header = headers?.get("cookie")
    if (!header || !names.some((name) => header.includes(name))) return []
    return sources.filter((source) => !source.isOver() && listNames(cookies, source).length > 0)
  }

  return {
    serve(request, context, next) {
      const present = listPresent(request, context)
      if (present.length === 0 || files.includes(request.route)) return null
      return serve({ request, context, next, present })
    },

    readJar(visit, context) {
      const present = listPresent(visit, context)
      return present.length === 0 ? null : readJar(present, visit, context)
    },

    async onSessionStart(signedIn, started, request, context) {
      const { moved } = signedIn
      if (moved) await assertUnused({ moved, until: findLast(sources) }, started, request, context)
      return { cookies: await noteSignIn(sources, request, context, moved) }
    },

    onSignOut: async (url, request, context) => ({
      url,
      cookies: await noteSignOut(sources, request, context),
    }),

    onEndAll: (userId, store) => noteEnded(sources, userId, store),
  }
}

interface Arrival {
  readonly request: AuthRequest
  readonly context: ActionContext
  readonly next: Next
  readonly present: readonly Source[]
}

async function serve(arrival: Arrival): Promise<Reply> {
  const { request, context, next, present } = arrival
  const canSet = request.context.canSetCookies !== false
  if (await hasOwn(present, request, context)) return next(request)
  const { moving, over } = await findMoving(present, request, context)
  if (!moving) return withCookies(canSet ? clearAll(over, request) : [], arrival, request)
  if (!(await isAdmitted(moving, context))) return hold(moving, arrival)
  if (!canSet) return show(moving, arrival)
  const started = await lead(moving, toVisit(arrival), context)
  const cleared = clearAll(present, request).filter(({ name }) => !started?.some((cookie) => cookie.name === name))
  if (!started) return withCookies(cleared, arrival, toVisit(arrival))
  const origin = await rememberSource(moving, request, context)
  const set = [...started, ...origin]
  return withCookies([...set, ...cleared], arrival, toVisit(arrival, set))
}

/** The request as routes see it: without the cookies of other libraries, and with our own. */
function toVisit({ request, present }: Arrival, set: readonly ResponseCookie[] = []): AuthRequest {
  const hidden = new Set(present.flatMap((source) => listNames(request.cookies, source)))
  return { ...request, cookies: replaceCookies(request.cookies, hidden, set) }
}

/**
 * Whether the browser has a session of ours, or nobody knows. Values with the form of another library do not count, where it
 * has the name of our own cookie.
 */
async function hasOwn(present: readonly Source[], request: SessionRequest, context: ActionContext): Promise<boolean> {
  const { name } = context.cookies.sessionToken
  const readers = present.filter(({ names }) => names.includes(name))
  const values = readSessionCookies(request.cookies, name)
  const isForeign = (value: string) => readers.some(({ reader }) => reader.canRead?.(value) ?? false)
  if (values.length === 0 || values.every(isForeign)) return false
  const { session, isUnknown } = await context.sessions.check(request)
  return session !== null || isUnknown === true
}

/** Answers by the route, and adds cookies that the route does not set itself. */
async function withCookies(added: readonly ResponseCookie[], { next }: Arrival, own: AuthRequest): Promise<Reply> {
  if (added.length === 0) return next(own)
  const join = (cookies: readonly ResponseCookie[] = []) => [
    ...added.filter(({ name }) => !cookies.some((cookie) => cookie.name === name)),
    ...cookies,
  ]
  try {
    const reply = await next(own)
    // A cache must not keep cookies. The next request gets the same session.
    if (reply.headers?.["cache-control"]?.startsWith("public")) return reply
    return { ...reply, cookies: join(reply.cookies) }
  } catch (thrown) {
    if (thrown instanceof Refusal) throw new Refusal(thrown.error, join(thrown.cookies), thrown.userId)
    throw new Refusal(thrown, join())
  }
}

/** Whether the user may have a session without a second factor, or gave one there that counts here. */
async function isAdmitted({ user, signedIn }: Moving, context: ActionContext): Promise<boolean> {
  const { gate } = context.slots
  if (!gate?.admitsAdopted) return true
  // as: a gate needs an adapter, which has the user.
  return gate.admitsAdopted(user as AdapterUser, context, signedIn.achieved as readonly AuthMethod[])
}

/** On the sign-in page, the user is asked for the second factor. Everywhere else, nobody is signed in. */
async function hold(moving: Moving, { request, context, next }: Arrival): Promise<Reply> {
  const { route, method, providerId, cookies } = request
  const isWaiting = cookies.namesStarting(toOwnCookie(ownCookies.held, context.cookieRules).name).length > 0
  const isAsked = route === "signin" && method === "GET" && providerId === undefined && isPage(request)
  // A user who comes back from the second step wants to sign in otherwise.
  if (!context.slots.gate || !isAsked || isWaiting || request.context.canSetCookies === false) return next(request)
  // It is no first factor any more.
  if (await isEnded(moving, context)) return next(request)
  const { signedIn } = moving
  const target = await context.callbackUrls.resolve(request)
  const reply = await context.slots.gate.admit({ signedIn, isByCredentials: false, url: target.url }, request, context)
  return { ...reply, cookies: [...target.cookies, ...(reply.cookies ?? [])] }
}

/** Where no cookie can be set, the session is shown. */
async function show(moving: Moving, arrival: Arrival): Promise<Reply> {
  const { request, context, next } = arrival
  const shown = await preview(moving, toVisit(arrival), context)
  if (!shown) return next(toVisit(arrival))
  if ("cookies" in shown) return next(toVisit(arrival, shown.cookies))
  const isSession = request.route === "session" && request.method === "GET"
  return isSession ? json(shown.session, { headers: noStore }) : next(toVisit(arrival))
}

async function readJar(
  present: readonly Source[],
  visit: SessionRequest,
  context: ActionContext,
): Promise<SessionRequest["cookies"]> {
  if (await hasOwn(present, visit, context)) return visit.cookies
  const { moving } = await findMoving(present, visit, context)
  if (!moving || !(await isAdmitted(moving, context))) return visit.cookies
  const shown = await preview(moving, visit, context)
  return shown && "cookies" in shown ? replaceCookies(visit.cookies, new Set(), shown.cookies) : visit.cookies
}

/** A sign-in that waited for its second factor begins its session once. */
async function assertUnused(
  { moved, until }: { readonly moved: MovedSession; readonly until: Date },
  started: readonly ResponseCookie[],
  request: AuthRequest,
  context: ActionContext,
): Promise<void> {
  const marks = createMarks(context)
  const isUsed = moved.hasMark ? await marks.isMarked(moved.id) : !(await marks.take(moved.id, until))
  if (!isUsed) return
  await context.sessions.end({ ...request, cookies: toSetJar(started) })
  throw new AccessDenied("The session of another library was taken over before")
}

/** Sessions there of a user all of whose sessions were ended here do not come back. */
async function noteEnded(sources: readonly Source[], userId: string, store: Store): Promise<void> {
  const last = findLast(sources)
  if (last.valueOf() > systemClock()) await createUserMarks(store).mark(userId, last)
}
