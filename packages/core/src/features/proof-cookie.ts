import type { SessionProof } from "../account/session-proofs.js"
import { type SealedCookieDeps, sealedCookie } from "../checks/sealed-cookie.js"
import type { CookieJar } from "../http/cookies.js"
import { ownCookies } from "../http/own-cookies.js"
import { isSameId } from "../runtime/id.js"
import { isRecord } from "../runtime/json.js"
import type { Awaitable } from "../types/basics.js"
import type { ResponseCookie } from "../types/http.js"

/**
 * Keeps how the user of this browser proved who they are beside the session, in a cookie of its own: session tokens stay
 * as they are, and neither `callbacks.jwt` nor an update from the client can change it.
 */
export interface ProofCookie {
  write(userId: string, proofs: readonly SessionProof[]): Awaitable<ResponseCookie>
  /** The latest first. Empty if the browser has no proof of this user. */
  read(jar: CookieJar, userId: string): Promise<readonly SessionProof[]>
  clear(jar: CookieJar): readonly ResponseCookie[]
}

/** One for each combination of methods. */
const maxProofs = 6

type ProofValue = { readonly userId: string; readonly proofs: readonly SessionProof[] }

export function createProofCookie(deps: SealedCookieDeps): ProofCookie {
  const { write, read, clear } = sealedCookie<ProofValue>(ownCookies.proof, deps)
  return {
    write: (userId, proofs) => write({ userId, proofs }),
    async read(jar, userId) {
      for (const { userId: owner, proofs } of await read(jar)) {
        if (isSameId(owner, userId) && Array.isArray(proofs)) return proofs.filter(isProof)
      }
      return []
    },
    clear,
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
