import type { SessionProof } from "../account/session-proofs.js"
import { createSealer } from "../crypto/seal.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { isSameId } from "../runtime/id.js"
import { isRecord } from "../runtime/json.js"
import { systemClock } from "../runtime/promise.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

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
