import { isEqualInConstantTime, sha256Hex } from "../../crypto/hash.js"
import { toCodeChallenge } from "../../crypto/random.js"
import { createSealer } from "../../crypto/seal.js"
import { AccessDenied, InvalidCheck, SessionTokenError } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import { type CookieJar, toCookieJar, toSetJar } from "../../http/cookies.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { json, noStore, type Reply } from "../../http/response.js"
import { toIdText } from "../../runtime/id.js"
import { isRecord } from "../../runtime/json.js"
import { systemClock } from "../../runtime/promise.js"
import { readSessionCookies } from "../../session/cookies.js"
import type { SessionRequest } from "../../session/session.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext, Route } from "../feature.js"
import { type NativeClients, purposes } from "./clients.js"
import { toJar, toSessionToken } from "./session-token.js"

/** Long enough for the app to send it, RFC 6749 section 4.1.2. */
const codeSeconds = 60

/** What a code is bound to. */
export interface CodeBinding {
  readonly clientId: string
  readonly redirectUri: string
  /** SHA-256 of the code verifier, base64url; RFC 7636 section 4.2. */
  readonly challenge: string
  /** The id of the user who was asked. */
  readonly userId: string
}

/**
 * Keeps what a code stands for, sealed under its hash: the session of the browser, for which the app gets one like it. Only
 * the cookie of the user who was asked: others of its name may have been planted by a neighboring site.
 */
export async function keepCode(
  code: string,
  binding: CodeBinding,
  { cookies }: AuthRequest,
  context: ActionContext,
): Promise<void> {
  const { store, secrets } = context
  const { name } = context.cookies.sessionToken
  const id = await toCodeId(code)
  const session: Record<string, string> = {}
  for (const token of readSessionCookies(cookies, name)) {
    if ((await findUserId({ cookies: toCookieJar({ [name]: token }) }, context)) !== binding.userId) continue
    session[name] = token
    break
  }
  const value = await createSealer(secrets, systemClock).seal(purposes.code, { ...binding, id, session }, codeSeconds)
  await store?.keepTemporary({ id, value, expires: new Date(systemClock() + codeSeconds * 1000) })
}

/** The id of the signed-in user, as the session has it: the store may not know the user of a token. */
export async function findUserId(
  { cookies }: Pick<AuthRequest, "cookies">,
  { sessions }: ActionContext,
): Promise<string> {
  // as: the id is all that is read.
  const user = await sessions.findUser(cookies, async (id) => ({ id }) as AdapterUser)
  return toIdText(user?.id)
}

async function toCodeId(code: string): Promise<string> {
  return sha256Hex(`native code ${code}`)
}

/**
 * `POST /native/token`: exchanges a code and its verifier for a session token, RFC 6749 section 4.1.3. An attempt uses the code
 * up even if it fails. Of several requests with one code, in any process, the store gives it to a single one.
 * The app may send its former token as `former_token`, which ends that session.
 */
export function exchangeCode(clients: NativeClients): Route {
  return async (request, context) => {
    const read = (name: string) => findField(request, name) ?? ""
    if (read("grant_type") !== "authorization_code") return refuse("unsupported_grant_type")
    const client = clients.get(read("client_id"))
    if (!client) return refuse("invalid_client")
    const kept = await takeCode(read("code"), context)
    const sent = { clientId: client.id, redirectUri: read("redirect_uri"), verifier: read("code_verifier") }
    if (!kept || !(await isBoundTo(kept, sent))) {
      const message = "The code of a native app is wrong, used or too old"
      context.log.errorOnce(new InvalidCheck(message, because("request-invalid")), request)
      return refuse("invalid_grant")
    }
    try {
      // As when a browser signs in again. First, so that the former session does not count toward the user's limit.
      await endCopied(await toJar(read("former_token"), context, new Map([[client.id, client]])), request, context)
      const started = await startCopy(kept.session, client.name, request, context)
      const token = await toSessionToken(started, client.id, context).catch(async (error: unknown) => {
        // Its record would stay in the user's list, and count for the limit.
        await endCopied(toSetJar(started), request, context)
        throw error
      })
      if (!token) return refuse("invalid_grant")
      context.log.record({ kind: "app-sign-in", userId: kept.userId }, request)
      return json(token, { headers: noStore })
    } catch (error) {
      if (!(error instanceof AccessDenied)) throw error
      context.log.errorOnce(error, request)
      return refuse("access_denied")
    }
  }
}

/** Whether a code comes from the client that asked for it. */
async function isBoundTo(
  { clientId, redirectUri, challenge }: CodeBinding,
  sent: Pick<CodeBinding, "clientId" | "redirectUri"> & { readonly verifier: string },
): Promise<boolean> {
  if (clientId !== sent.clientId || redirectUri !== sent.redirectUri) return false
  if (!/^[\w.~-]{43,128}$/.test(sent.verifier)) return false
  return isEqualInConstantTime(challenge, await toCodeChallenge(sent.verifier))
}

/** RFC 6749 section 5.2. */
function refuse(error: string): Reply {
  return json({ error }, { status: 400, headers: noStore })
}

interface KeptCode extends CodeBinding {
  /** The session cookie of the browser. */
  readonly session: CookieJar
}

async function takeCode(code: string, { store, secrets }: ActionContext): Promise<KeptCode | null> {
  if (!/^[\w-]{43}$/.test(code)) return null
  const id = await toCodeId(code)
  const value = (await store?.takeTemporary(id)) ?? null
  const claims = value === null ? null : await createSealer(secrets, systemClock).open(purposes.code, value)
  // The value of another row must not stand for this code.
  if (claims?.["id"] !== id || !isRecord(claims["session"])) return null
  const { clientId, redirectUri, challenge, userId } = claims as unknown as CodeBinding // as: sealed by `keepCode` alone.
  return { clientId, redirectUri, challenge, userId, session: toCookieJar(claims["session"]) }
}

/** A session like that of the browser, as old as that one, and with a record of its own where sessions are tracked. */
async function startCopy(
  from: CookieJar,
  label: string,
  arrived: AuthRequest,
  context: ActionContext,
): Promise<readonly ResponseCookie[]> {
  const { sessions } = context
  const request = toVisit(arrived, from)
  if (!sessions.renew) {
    const { session, cookies, isUnknown } = await sessions.check(request)
    if (isUnknown) throw new SessionTokenError("The session could not be read")
    return session ? cookies : []
  }
  const copied = await sessions.renew(request, { label })
  if (copied.length === 0 || (await sessions.findUser(from))) return copied
  // A sign-out everywhere may have ended the session after it was read, and before the copy was there to be ended.
  await endCopied(toSetJar(copied), arrived, context)
  return []
}

async function endCopied(cookies: CookieJar, request: AuthRequest, { sessions }: ActionContext): Promise<void> {
  await sessions.end(toVisit(request, cookies))
}

function toVisit({ headers, url, context }: AuthRequest, cookies: CookieJar): SessionRequest {
  return { headers, url, context, cookies }
}
