import type { Session } from "@latchkey/types"
import { type SessionProof, summarize } from "../account/session-proofs.js"
import { createSealer } from "../crypto/seal.js"
import type { HostCallbacks, StrategyParams } from "../host/callbacks.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { isSameId, toIdText } from "../runtime/id.js"
import { isRecord } from "../runtime/json.js"
import { systemClock } from "../runtime/promise.js"
import type { SessionRequest } from "../session/session.js"
import type { SessionAuth } from "../types/callbacks.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import type { ResolvedConfig } from "../types/resolved.js"

/**
 * Keeps how the user of this browser proved who they are beside the session, in a cookie of its own: session tokens stay
 * as they are, and neither `callbacks.jwt` nor an update from the client can change it.
 */
export interface ProofCookie {
  write(userId: string, proofs: readonly SessionProof[]): Promise<ResponseCookie>
  /** The latest first. Empty if the browser has no proof of this user. */
  read(jar: CookieJar, userId: string): Promise<readonly SessionProof[]>
  clear(jar: CookieJar): readonly ResponseCookie[]
}

/** With a colon, as `Sealer` requires. */
const purpose = "proof:sign-in"

/** 90 days. Afterwards a session goes on, and its user is asked again where a proof is required. */
const proofSeconds = 90 * 24 * 60 * 60

/** One for each combination of methods. */
const maxProofs = 6

interface ProofCookieOptions {
  readonly isSecure: boolean
  readonly secrets: readonly string[]
}

export function createProofCookie({ isSecure, secrets }: ProofCookieOptions): ProofCookie {
  const sealer = createSealer(secrets, systemClock)
  const cookie: CookieOption = {
    // With this prefix no neighboring site can plant it.
    name: `${isSecure ? "__Host-" : ""}authjs.proof`,
    options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
  }
  return {
    async write(userId, proofs) {
      const value = await sealer.seal(purpose, { userId, proofs }, proofSeconds)
      return {
        ...cookie,
        value,
        options: { ...cookie.options, expires: new Date(systemClock() + proofSeconds * 1000) },
      }
    },
    async read(jar, userId) {
      for (const value of jar.values(cookie.name)) {
        const { userId: owner, proofs } = (await sealer.open(purpose, value)) ?? {}
        if (isSameId(owner, userId) && Array.isArray(proofs)) return proofs.filter(isProof)
      }
      return []
    },
    clear: (jar) => (jar.values(cookie.name).length > 0 ? [clearedCookie(cookie)] : []),
  }
}

/** Sealed by `write`; the check is for values of an earlier version. */
function isProof(value: unknown): value is SessionProof {
  return isRecord(value) && Array.isArray(value["methods"]) && typeof value["time"] === "number"
}

/** Adds a proof, in place of a former one by the same methods. */
export function addProof(added: SessionProof, proofs: readonly SessionProof[]): readonly SessionProof[] {
  const nameMethods = ({ methods }: SessionProof) => methods.join(" ")
  return [added, ...proofs.filter((proof) => nameMethods(proof) !== nameMethods(added))].slice(0, maxProofs)
}

/**
 * Gives the `session` callback of the app `session.auth`. Nothing that the app or a client puts there is shown: it is what
 * the proof cookie has, or absent.
 */
export function addSessionAuth(
  callbacks: HostCallbacks,
  { isSecure }: { readonly isSecure: boolean },
  { secrets, callbacks: given }: ResolvedConfig,
): HostCallbacks {
  // The default callback shows none, and opening the cookie at each check would be in vain.
  if (!given?.session) return callbacks
  const proofCookie = createProofCookie({ isSecure, secrets })

  async function readAuth(params: StrategyParams, request: object | undefined): Promise<SessionAuth | null> {
    // as: the strategies pass their own request.
    const { cookies } = (request ?? {}) as Partial<SessionRequest>
    const userId = toOwnerId(params)
    return cookies && userId !== "" ? summarize(await proofCookie.read(cookies, userId)) : null
  }

  return {
    ...callbacks,
    async session(params, request) {
      const auth = await readAuth(params, request)
      // Also without a proof: a stored session may have a column of this name.
      const session = { ...params.session, auth: auth ?? undefined }
      // as: a spread of a union of parameters is one of them.
      const shown = await callbacks.session({ ...params, session } as StrategyParams, request)
      return replaceAuth(shown, auth)
    },
  }
}

/** The user whose session it is, whom the host may not show. */
function toOwnerId(params: StrategyParams): string {
  if ("user" in params) return toIdText(params.user.id)
  const { sub, sid_sub: owner } = params.token
  return toIdText(owner ?? sub)
}

function replaceAuth(shown: Session, auth: SessionAuth | null): Session {
  // The app leaves it out, or returns nothing.
  if (!isRecord(shown) || shown["auth"] === undefined) return shown
  const { auth: _, ...rest }: Session & { readonly auth?: unknown } = shown
  return auth ? ({ ...rest, auth } as Session) : rest
}
