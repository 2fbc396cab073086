import type { AuthMethod } from "../account/proof.js"
import { createSealer } from "../crypto/seal.js"
import type { CookieJar } from "../http/cookies.js"
import { isSameId } from "../runtime/id.js"
import { systemClock } from "../runtime/promise.js"
import { freshSeconds } from "../session/own-sessions.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

/** When and how the user of this browser proved who they are. */
export interface SignInProof {
  readonly userId: string
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly time: number
  readonly methods: readonly AuthMethod[]
  /** Whether the sign-in proved two factors. */
  readonly isStrong: boolean
}

/**
 * Keeps the proof beside the session, in a cookie of its own: session tokens stay as they are, neither `callbacks.jwt` nor
 * an update from the client can set it, and no check of a session becomes slower.
 */
export interface ProofCookie {
  write(proof: SignInProof): Promise<ResponseCookie>
  /** Null if the browser has no proof of this user. */
  read(jar: CookieJar, userId: string): Promise<SignInProof | null>
}

/** With a colon, as `Sealer` requires. */
const purpose = "proof:sign-in"

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
    async write({ time, ...proof }) {
      const value = await sealer.seal(purpose, { ...proof, time }, freshSeconds)
      return { ...cookie, value, options: { ...cookie.options, expires: new Date(time + freshSeconds * 1000) } }
    },
    async read(jar, userId) {
      for (const value of jar.values(cookie.name)) {
        const { userId: owner, time, methods, isStrong } = (await sealer.open(purpose, value)) ?? {}
        if (!isSameId(owner, userId) || typeof time !== "number" || !Array.isArray(methods)) continue
        return { userId, time, methods, isStrong: isStrong === true }
      }
      return null
    },
  }
}
