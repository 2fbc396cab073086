import { macHex, sha256Hex } from "../../crypto/hash.js"
import { toSetJar } from "../../http/cookies.js"
import { isSameId, toIdText } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import { writeSessionCookies } from "../../session/cookies.js"
import { withStart } from "../../session/database.js"
import type { MovedSession, SessionRequest, SignedIn } from "../../session/session.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext } from "../feature.js"
import { createMarks, createUserMarks } from "./marks.js"
import type { FoundReading, Source } from "./source.js"

/** A session of another library that is valid, and whose user may have one of ours. */
export interface Moving {
  readonly source: Source
  readonly reading: FoundReading
  /** Identifies it, for marks. */
  readonly id: string
  readonly key: string
  /** How long a copy of it could be used. */
  readonly until: Date
  readonly signedIn: SignedIn & { readonly moved: MovedSession }
  readonly user: SignedIn["user"]
}

/** A mark outlives the reader by this time. */
const marginMs = 60_000

/** The ID of a session of another library. It does not depend on the app's secret, so it stays the same when that changes. */
export async function toMovedId({ reader }: Source, key: string): Promise<string> {
  return (await sha256Hex(JSON.stringify(["moved session", reader.name, key]))).slice(0, 32)
}

export function endOf({ options }: Source): Date {
  return new Date(options.until.valueOf() + marginMs)
}

/** When the last reader is off. */
export function findLast(sources: readonly Source[]): Date {
  return new Date(Math.max(...sources.map((source) => endOf(source).valueOf())))
}

/** A cookie value that is a session, with its owner. */
interface OwnedReading {
  readonly source: Source
  readonly reading: FoundReading
  readonly value: string
  /** The id of the user or of the account, from the former session. */
  readonly subject: string
}

/**
 * Prepares the sign-in that starts our session. It is the same session for each use of the other one, so that parallel
 * requests, and one whose answer was lost, get the same.
 */
export async function toMoving(
  { source, reading, value, subject }: OwnedReading,
  user: SignedIn["user"],
  context: ActionContext,
): Promise<Moving> {
  const { store, secrets } = context
  const key = reading.key ?? value
  const id = await toMovedId(source, key)
  const startedAt = reading.startedAt && Math.floor(reading.startedAt.valueOf() / 1000)
  const mac = await macHex(secrets[0] ?? "", "moved", `${source.reader.name} ${key}`)
  const claims = reading.token
  const moved = {
    ...toIds(mac, startedAt, context),
    startedAt,
    claims: claims && { ...claims, ...(store && { sub: toIdText(user.id) }) },
    id,
    hasMark: isUnlisted(context),
  }
  const signedIn = {
    user,
    account: { provider: source.reader.name, providerAccountId: subject, type: "credentials" as const },
    achieved: source.options.keepsFactors ? (reading.achieved ?? []) : [],
    ...(reading.profile && { profile: reading.profile }),
    isNewUser: false,
    isSignedInAlready: false,
    moved,
  }
  return { source, reading, id, key, until: endOf(source), signedIn, user }
}

function toIds(
  mac: string,
  startedAt: number | undefined,
  { config }: ActionContext,
): Pick<MovedSession, "token" | "sid"> {
  const start = config.session.absoluteMaxAge === undefined ? undefined : startedAt
  return { token: withStart(mac, start), sid: mac.slice(0, 32) }
}

/** How long a request waits for the session that a parallel one is starting, in milliseconds. */
const waitsMs = [25, 75, 150, 250, 500]

/**
 * The cookies of our session: a new one for the first use; for a later one, the same session while it lives. Null if it has
 * ended, or may not begin. No request waits for the promise of another: a worker's platform may have ended that one's work.
 */
export async function lead(
  moving: Moving,
  visit: SessionRequest,
  context: ActionContext,
): Promise<readonly ResponseCookie[] | null> {
  const marks = createMarks(context)
  const { id, until } = moving
  if (isUnlisted(context)) {
    if (await marks.isMarked(id)) return null
    return begin(moving, await marks.take(id, until), { visit, context })
  }
  const known = await look(moving, visit, context)
  if (known) return known.cookies
  if (await marks.take(id, until)) {
    const started = await begin(moving, true, { visit, context })
    // Not before: a parallel request takes a marked session that it does not find for one that has ended.
    await marks.mark(id, until)
    return started
  }
  for (const ms of waitsMs) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    const found = await findAlive(moving, visit, context)
    if (found) return found
  }
  return null
}

/** What became of our session: its cookies, or none once it has ended. Null if it has not begun yet. */
async function look(
  moving: Moving,
  visit: SessionRequest,
  context: ActionContext,
): Promise<{ readonly cookies: readonly ResponseCookie[] | null } | null> {
  const alive = await findAlive(moving, visit, context)
  if (alive) return { cookies: alive }
  // Once more: a parallel request may have begun and marked it since.
  return (await isEnded(moving, context)) ? { cookies: await findAlive(moving, visit, context) } : null
}

/** Whether nothing but its token knows a session: then only its own sign-out ends it. */
export function isUnlisted({ config, slots }: ActionContext): boolean {
  return config.session.strategy === "jwt" && slots.trackSessions === undefined
}

/** Whether our session of it has ended, or all of its user. */
export async function isEnded({ id, user }: Moving, context: ActionContext): Promise<boolean> {
  return (await createMarks(context).isMarked(id)) || createUserMarks(context.store).isMarked(toIdText(user.id))
}

async function begin(
  { signedIn }: Moving,
  isFirst: boolean,
  { visit, context }: { readonly visit: SessionRequest; readonly context: ActionContext },
): Promise<readonly ResponseCookie[] | null> {
  const started = await context.sessions.start(signedIn, visit)
  // The app's `jwt` callback may refuse the session.
  if (!started.some(({ value }) => value !== "")) return null
  if (isFirst) context.log.record({ kind: "session-moved", userId: toIdText(signedIn.user.id) }, visit)
  return started
}

/** The cookies of the session that an earlier use has begun. Null if there is none, or it has ended. */
async function findAlive(
  moving: Moving,
  visit: SessionRequest,
  context: ActionContext,
): Promise<readonly ResponseCookie[] | null> {
  const { source, key, signedIn, reading } = moving
  const startedAt = reading.startedAt && Math.floor(reading.startedAt.valueOf() / 1000)
  for (const secret of context.secrets) {
    const mac = await macHex(secret, "moved", `${source.reader.name} ${key}`)
    const ids = toIds(mac, startedAt, context)
    const found = await findOne({ ...signedIn, moved: { ...signedIn.moved, ...ids } }, visit, context)
    if (found) return found
  }
  return null
}

async function findOne(
  signedIn: SignedIn & { readonly moved: MovedSession },
  visit: SessionRequest,
  context: ActionContext,
): Promise<readonly ResponseCookie[] | null> {
  const { store, config, sessions, cookies } = context
  const { user, moved } = signedIn
  if (config.session.strategy === "database") {
    const { name, options } = cookies.sessionToken
    const found = await sessions.findUser(toSetJar([{ name, value: moved.token }]))
    if (!found || !isSameId(found.id, user.id)) return null
    const expires = new Date(systemClock() + config.session.maxAge * 1000)
    return writeSessionCookies({ name, value: moved.token, options: { ...options, expires } }, toSetJar([]))
  }
  const details = (await store?.listSessionsByUserId(toIdText(user.id))) ?? []
  const record = details.find(({ id }) => id === moved.sid)
  return record ? sessions.start({ ...signedIn, moved: { ...moved, record } }, visit) : null
}

/** What a request without an answer that can set cookies shows: nothing is stored. */
export async function preview(
  moving: Moving,
  visit: SessionRequest,
  context: ActionContext,
): Promise<{ readonly cookies: readonly ResponseCookie[] } | { readonly session: unknown } | null> {
  if (isUnlisted(context)) {
    if (await createMarks(context).isMarked(moving.id)) return null
    return { cookies: await context.sessions.start(moving.signedIn, visit) }
  }
  const known = await look(moving, visit, context)
  if (known) return known.cookies && { cookies: known.cookies }
  return { session: await showUnstored(moving, visit, context) }
}

/** The session as clients would see it, over a store that keeps it for this request only. */
async function showUnstored({ signedIn }: Moving, visit: SessionRequest, context: ActionContext): Promise<unknown> {
  const { store, sessionsOver } = context
  if (!store) return null
  const rows = new Map<string, Parameters<typeof store.createSession>[0]>()
  const methods: Partial<typeof store> = {
    async createSession(row) {
      rows.set(row.sessionToken, row)
      return row
    },
    async getSessionAndUser(token) {
      const session = rows.get(token)
      // as: the adapter knows the user.
      return session ? { session, user: signedIn.user as AdapterUser } : null
    },
    updateSession: async () => null,
    deleteSession: async () => null,
  }
  const scratch = new Proxy(store, {
    get: (target, name) => Reflect.get(methods, name) ?? Reflect.get(target, name),
  })
  const sessions = sessionsOver(scratch)
  const started = await sessions.start(signedIn, visit)
  const { session } = await sessions.check({ ...visit, cookies: toSetJar(started) })
  return session
}
