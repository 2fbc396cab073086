import { chooseReplayGuard } from "../../checks/replay.js"
import { sha256Hex } from "../../crypto/hash.js"
import { randomId } from "../../crypto/random.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { InvalidConfiguration, LogoutTokenInvalid } from "../../errors/errors.js"
import type { Because } from "../../errors/failure-reason.js"
import type { Store } from "../../host/store.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { html, noStore, type Reply } from "../../http/response.js"
import { findProviderReason } from "../../oauth/advice.js"
import { asOAuthProvider } from "../../oauth/client.js"
import { isOpenIdProvider } from "../../oauth/end-session.js"
import { createProviderEndpoints, type ProviderContext } from "../../oauth/endpoints.js"
import { toSafeError } from "../../oauth/errors.js"
import { assertIssuer, type LogoutOrder, verifyLogoutToken } from "../../oauth/logout-token.js"
import { lazy, marksPerProcess } from "../../runtime/cache.js"
import { isShortText, toIdText } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import type { SessionSelection } from "../../types/adapter-features.js"
import type { Awaitable } from "../../types/basics.js"
import type { ActionContext } from "../feature.js"
import { answer } from "../route.js"

/** Real logout tokens have one to two kilobytes. */
const maxFormBytes = 16 * 1024

/** How logout tokens are received. */
export interface BackchannelOptions {
  /** Whether the header of a logout token may lack `typ`. */
  readonly laxTyp: boolean
}

/** Tokens that were accepted, but whose sessions the store failed to end: the provider may send them again. */
const openUnfinished = marksPerProcess("logouts")

/**
 * `POST backchannel-logout/<provider>`, OpenID Connect Back-Channel Logout 1.0 section 2.5: the provider itself sends it.
 * The token is the proof, so that there is no CSRF token, and no cookie.
 */
export async function receiveLogoutToken(
  request: AuthRequest,
  context: ActionContext,
  { laxTyp: isTypeOptional }: BackchannelOptions,
): Promise<Reply> {
  return answered("backchannel", request, context, async (at) => {
    const text = readToken(request)
    const order = await verifyLogoutToken(text, at, { isTypeOptional })
    await obey(order, at.provider.id, request, context)
    return answer(200, {})
  })
}

/** The token of a form with one field of this name. */
function readToken(request: AuthRequest): string {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase()
  const token = findField(request, "logout_token")
  const bytes = Math.max(Number(request.headers.get("content-length")), token?.length ?? 0)
  if (bytes > maxFormBytes) throw new LogoutTokenInvalid(`The logout request is larger than ${maxFormBytes} bytes`)
  if (type === "application/x-www-form-urlencoded" && token) return token
  throw new LogoutTokenInvalid("The logout request must be a form with a logout_token")
}

/** How long a process has for the sessions of a token before another one may end them. */
const leaseMs = 15_000

/** How often a request tries to take the lease of its token, and the milliseconds between two tries. */
const [looks, pauseMs] = [20, 25]

/**
 * Ends the sessions that a token names. Once: after a second sign-in, a replayed token would end the new session. If the
 * store fails, or the process is killed on the way, the next one that gets the token from the provider ends them.
 * @param provider Id of the provider that sent the token.
 */
async function obey(order: LogoutOrder, provider: string, request: AuthRequest, context: ActionContext): Promise<void> {
  const store = getStore(context)
  const use = `logout:${provider}:${order.id}`
  const guard = chooseReplayGuard(store)
  const unfinished = openUnfinished()
  await alone(use, store, async (isAlone) => {
    const isFirst = await guard.consume(use)
    // Alone, a second mark tells whether the first request got to the end. To look for it is to set it.
    const finished = `${use}:finished`
    const isLeft = !isFirst && isAlone && (await guard.consume(finished))
    if (!(isFirst || isLeft || unfinished.has(use))) return
    try {
      await endOrdered(order, provider, request, context)
    } catch (error) {
      // The first time, the second mark is still there for any process. After that, this one alone remembers.
      if (!(isFirst && isAlone)) unfinished.add(use)
      throw error
    }
    unfinished.delete(use)
    if (isFirst && isAlone) await guard.consume(finished)
  })
}

/**
 * Does the work when no other request does it.
 * @param work Gets whether the store has leases. Without them, another request may do the same.
 * @throws LogoutTokenInvalid if another one does not end: its process may have been killed, and a provider that is told of a
 *   success does not send the token again
 */
async function alone(use: string, store: Store, work: (isAlone: boolean) => Promise<void>): Promise<void> {
  if (!store.has("takeLease") || !store.has("dropLease")) return work(false)
  const lease = { id: `logout:${await sha256Hex(use)}`, holder: randomId(22) }
  const take = async () => store.takeLease({ ...lease, until: new Date(systemClock() + leaseMs) })
  for (let n = 0; !(await take()); n++) {
    if (n === looks) throw new LogoutTokenInvalid("Another request with the same logout token has not ended")
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  try {
    await work(true)
  } finally {
    // The store has logged an error. The lease runs out by itself.
    await Promise.resolve(store.dropLease(lease)).catch(() => {})
  }
}

async function endOrdered(
  { session, subject }: LogoutOrder,
  provider: string,
  request: AuthRequest,
  context: ActionContext,
): Promise<void> {
  // Section 2.4: with a `sid`, the token is about that session alone.
  const selection =
    session === undefined ? { provider, providerAccountId: subject ?? "" } : { provider, providerSession: session }
  await end({ selection, subject, store: getStore(context) }, request, context)
}

/**
 * `GET frontchannel-logout/<provider>`, OpenID Connect Front-Channel Logout 1.0 section 2: the provider's page loads it in
 * a frame. Browsers send no cookies there, so that the provider's id of the session is what proves and selects.
 */
export async function receiveFrame(request: AuthRequest, context: ActionContext): Promise<Reply> {
  return answered("frontchannel", request, context, async (at) => {
    const { searchParams } = request.url
    const iss = searchParams.get("iss")
    const sid = searchParams.get("sid")
    if (!iss || !isShortText(sid)) throw new LogoutTokenInvalid("The logout request must have an iss and a sid")
    assertIssuer(iss, { iss }, at)
    const selection = { provider: at.provider.id, providerSession: sid }
    await end({ selection, subject: undefined, store: getStore(context) }, request, context)
    return html("<!doctype html><title>Signed out</title>", {
      headers: { ...noStore, "content-security-policy": `default-src 'none'; frame-ancestors ${toFrameSource(iss)}` },
    })
  })
}

/** An origin without the characters that have a meaning in a policy: a URL's host may contain `;`, `,` and `*`. */
const plainOrigin = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/

function toFrameSource(issuer: string): string {
  const origin = URL.parse(issuer)?.origin ?? ""
  return plainOrigin.test(origin) ? origin : "'none'"
}

interface Ending {
  readonly selection: Extract<SessionSelection, { readonly provider: string }>
  /** The user at the provider, if it is known. */
  readonly subject: string | undefined
  readonly store: Store
}

/** Ends sessions, and tells the host and the log. */
async function end(
  { selection, subject, store }: Ending,
  request: AuthRequest,
  { log, events, features, sessions }: ActionContext,
): Promise<void> {
  if (subject !== undefined) {
    const find = lazy(async () =>
      toIdText((await store.getUserByAccount({ provider: selection.provider, providerAccountId: subject }))?.id),
    )
    await endWaiting(find, { store, features })
    // Nothing tells how one from before tracking began.
    await sessions.endFormer?.(find)
  }
  const count = await store.endSessions(selection)
  if (count === 0) return
  const userId = subject === undefined ? null : await findUserId(selection.provider, subject, store)
  log.record({ kind: "sessions-ended", ...(userId !== null && { userId }) }, request)
  await events.send("sessionsEnded", { userId, count }, request)
}

/**
 * Ends the sign-ins of a user that wait, such as for a second factor: their sessions would begin after the logout. All of
 * them, also with a `sid`, since only their browser knows the session that they began with.
 */
async function endWaiting(
  findUserId: () => Awaitable<string>,
  { store, features }: Pick<ActionContext, "features"> & Pick<Ending, "store">,
): Promise<void> {
  const waiting = features.filter((each) => each.onProviderLogout)
  if (waiting.length === 0) return
  const userId = await findUserId()
  if (userId === "") return
  for (const feature of waiting) await feature.onProviderLogout?.(userId, store)
}

/** Null also if the store fails, which it has logged: the sessions are over. */
async function findUserId(provider: string, providerAccountId: string, store: Store): Promise<string | null> {
  try {
    return (await store.getUserByAccount({ provider, providerAccountId }))?.id ?? null
  } catch {
    return null
  }
}

function getStore({ store }: ActionContext): Store {
  if (store) return store
  throw new InvalidConfiguration("providerLogout: needs an adapter")
}

/** Answers every failure with 400 and JSON, OpenID Connect Back-Channel Logout 1.0 section 2.8: no page has sent the request. */
async function answered(
  channel: "backchannel" | "frontchannel",
  request: AuthRequest,
  context: ActionContext,
  receive: (at: ProviderContext) => Promise<Reply>,
): Promise<Reply> {
  try {
    return await receive(await resolveProvider(request, context))
  } catch (thrown) {
    const failure = toSafeError(toError(thrown))
    const error =
      failure instanceof AuthError
        ? failure
        : new LogoutTokenInvalid(`The ${channel} logout was refused: ${failure.message}`, {
            err: failure,
            ...toReason(failure),
          })
    context.log.errorOnce(error, request)
    return answer(400, { error: "invalid_request", reference: error.reference })
  }
}

/** The reason why a logout token is refused, if it is one that ID tokens have too. The message names all others. */
function toReason(failure: Error): Because | null {
  const found = findProviderReason(failure)
  return found && found.reason !== "provider-answer" ? found : null
}

async function resolveProvider(
  { providerId = "" }: AuthRequest,
  { findProvider }: ActionContext,
): Promise<ProviderContext> {
  const provider = asOAuthProvider(await findProvider(providerId))
  if (!provider || !isOpenIdProvider(provider)) {
    throw new LogoutTokenInvalid("The path of the logout request has no id of an OpenID Connect provider")
  }
  return { provider, server: await endpoints.resolve(provider, ["jwks"]), endpoints }
}

const endpoints = createProviderEndpoints({ clock: systemClock })
