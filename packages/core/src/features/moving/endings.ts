import { type SealedCookie, sealedCookie } from "../../checks/sealed-cookie.js"
import { tokens } from "../../crypto/jwt.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { SignOutError } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import { cleanError } from "../../host/redact.js"
import { ownCookies } from "../../http/own-cookies.js"
import type { AuthRequest } from "../../http/request.js"
import { attempt } from "../../runtime/promise.js"
import { readSessionCookies } from "../../session/cookies.js"
import type { MovedSession, SessionRequest } from "../../session/session.js"
import type { ResponseCookie } from "../../types/http.js"
import type { JWT } from "../../types/jwt.js"
import type { ActionContext } from "../feature.js"
import { readValue } from "./find.js"
import { endOf, findLast, isUnlisted, type Moving, toMovedId } from "./lead.js"
import { createMarks, type Marks } from "./marks.js"
import type { Source } from "./source.js"
import { clearForeign, listValues } from "./values.js"

/** The session there that ours took the place of, if the app can end it there. */
type Origin = { readonly name: string; readonly key: string }

const originCookie = ({ secrets, cookieRules }: ActionContext): SealedCookie<Origin> =>
  sealedCookie(ownCookies.moved, { ...cookieRules, secrets })

/** The cookie that lets a sign-out end the session there, too. */
export async function rememberSource(
  { source, key }: Pick<Moving, "source" | "key">,
  { cookies }: SessionRequest,
  context: ActionContext,
): Promise<readonly ResponseCookie[]> {
  const cookie = originCookie(context)
  if (!source.reader.end) return cookie.clear(cookies)
  return [await cookie.write({ name: source.reader.name, key })]
}

/** A session there whose cookie was spent. */
type Spent = Pick<Moving, "source" | "key" | "id">

/** Spends the cookies of other libraries that a browser still has: it has just signed in here, or out. */
async function spend(
  sources: readonly Source[],
  visit: SessionRequest,
  context: ActionContext,
): Promise<readonly Spent[]> {
  const marks = createMarks(context)
  const spent: Spent[] = []
  for (const source of sources) {
    for (const foreign of listValues(visit.cookies, source)) {
      const reading = await readValue({ source, foreign }, visit, context)
      if (reading.kind !== "found") continue
      const key = reading.key ?? foreign.value
      const id = await toMovedId(source, key)
      await markAsEnded(id, endOf(source), marks)
      spent.push({ source, key, id })
    }
  }
  return spent
}

async function markAsEnded(id: string, until: Date, marks: Marks): Promise<void> {
  await marks.take(id, until)
  await marks.mark(id, until)
}

export function clearAll(
  sources: readonly Source[],
  { cookies, url }: Pick<AuthRequest, "cookies" | "url">,
): readonly ResponseCookie[] {
  return sources.flatMap((source) => clearForeign(cookies, source, url.hostname))
}

/**
 * After a sign-in, the former session of this browser must not come back.
 * @param moved The session that waited for its second factor, if that was the sign-in.
 */
export async function noteSignIn(
  sources: readonly Source[],
  request: AuthRequest,
  context: ActionContext,
  moved?: MovedSession,
): Promise<readonly ResponseCookie[]> {
  const present = sources.filter((source) => listValues(request.cookies, source).length > 0)
  const [spent] = await Promise.all([spend(present, request, context), markOwn(sources, request, context)])
  const origin = moved && spent.find(({ id }) => id === moved.id)
  const { name } = context.cookies.sessionToken
  return [
    ...(origin ? await rememberSource(origin, request, context) : []),
    ...clearAll(present, request).filter((cookie) => cookie.name !== name),
  ]
}

/** Ends what led to the session, there too if the app can. */
export async function noteSignOut(
  sources: readonly Source[],
  request: AuthRequest,
  context: ActionContext,
): Promise<readonly ResponseCookie[]> {
  const cookie = originCookie(context)
  try {
    await markOwn(sources, request, context)
    const spent: Omit<Spent, "id">[] = [...(await spend(sources, request, context))]
    for (const { name, key } of await cookie.read(request.cookies)) {
      const source = sources.find(({ reader }) => reader.name === name)
      if (source && typeof key === "string") spent.push({ source, key })
    }
    for (const { source, key } of spent) await source.reader.end?.(key)
  } catch (error) {
    const err = cleanError(toError(error), [request.headers])
    const about = error instanceof AuthError ? {} : because("callback-threw", { callback: "session.accept" })
    const sentence = "The session of the other library could not be ended"
    context.log.error(new SignOutError(sentence, { err, ...about }), request)
  }
  return [...cookie.clear(request.cookies), ...clearAll(sources, request)]
}

/** Marks what led to the session of this browser, if only its token knows that: the claim `mov`. */
async function markOwn(sources: readonly Source[], { cookies }: SessionRequest, context: ActionContext): Promise<void> {
  if (!isUnlisted(context)) return
  const { jwt } = context.config
  const { name: salt } = context.cookies.sessionToken
  const secret = jwt.decode ? (jwt.secret ?? jwt.secrets) : jwt.secrets
  const decode = jwt.decode ?? tokens.decode
  for (const token of readSessionCookies(cookies, salt)) {
    const claims = await attempt<JWT | null>(
      () => decode({ token, secret, salt }),
      () => null, // Not a session of ours.
    )
    if (typeof claims?.["mov"] === "string") await markAsEnded(claims["mov"], findLast(sources), createMarks(context))
  }
}
