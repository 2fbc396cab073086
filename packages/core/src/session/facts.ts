import { sha256Hex } from "../crypto/hash.js"
import type { JWT } from "../types/jwt.js"
import { toUserId } from "./records.js"
import type { TrackedSession } from "./session.js"

/** What a token says about its session. */
export interface SessionFacts {
  readonly sid: string
  /** When the store was last asked, in seconds since 1970-01-01T00:00:00Z. */
  readonly chk: number
  readonly userId: string
  /** When the user signed in, in seconds since 1970-01-01T00:00:00Z. Undefined for a session from before `session.track`. */
  readonly authTime: number | undefined
  readonly amr: readonly unknown[]
}

export function readFacts(claims: JWT | null): SessionFacts | null {
  if (claims === null) return null
  const { sid, chk, auth_time: authTime, amr } = claims
  if (typeof sid !== "string" || typeof chk !== "number") return null
  return {
    sid,
    chk,
    userId: toOwner(claims),
    authTime: typeof authTime === "number" ? authTime : undefined,
    amr: Array.isArray(amr) ? amr : [],
  }
}

/** The user of the session. The host's callbacks may show another one. */
export function toOwner({ sub, sid_sub: owner }: JWT): string {
  if (typeof owner === "string") return owner
  return typeof sub === "string" ? sub : toUserId(sub)
}

/** The claims with the facts of their session, whether the host's callback dropped, changed or copied them. */
export function withFacts(claims: JWT, facts: SessionFacts): JWT {
  // The usual check: the callback returns what it got, and the store was not asked.
  if (hasFacts(claims, facts)) return claims
  const { sid, chk, userId, authTime, amr } = facts
  const token: JWT = { ...claims, sid, chk, amr }
  if (authTime !== undefined) token["auth_time"] = authTime
  // The host may show another user than the one who signed in, whose session it is.
  if (claims.sub !== userId || "sid_sub" in claims) token["sid_sub"] = userId
  return token
}

function hasFacts(claims: JWT, { sid, chk, userId, authTime, amr }: SessionFacts): boolean {
  const { sub, sid_sub: owner, auth_time: start } = claims
  const isSame = claims["sid"] === sid && claims["chk"] === chk && claims["amr"] === amr && start === authTime
  return isSame && sub === userId && owner === undefined
}

/** The record of a token, or the one that a token from before would get. */
export async function findRecordOf(claims: JWT | null): Promise<TrackedSession | null> {
  const recorded = readFacts(claims)
  if (recorded) return { id: recorded.sid, userId: recorded.userId }
  const facts = claims && (await toAdoptedFacts(claims))
  return facts && { id: facts.sid, userId: facts.userId, isUnrecorded: true }
}

/**
 * The facts of a session without a record. Its id is the same for each use of its token, so that it gets one record. Null if
 * the token names no user.
 */
export async function toAdoptedFacts(claims: JWT): Promise<SessionFacts | null> {
  const userId = toUserId(claims.sub)
  if (userId === "") return null
  const hash = await sha256Hex(`session ${claims.jti ?? JSON.stringify(claims)}`)
  return { sid: hash.slice(0, 32), chk: 0, userId, authTime: undefined, amr: [] }
}
