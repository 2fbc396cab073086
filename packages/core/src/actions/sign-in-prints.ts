import { BoundedMap } from "../crypto/bounded-map.js"
import type { FillIn } from "../pages/blanks.js"

/** The sign-in page as most visitors see it, by origin and language: printed once, and filled in for each. */
export type SignInPrints = BoundedMap<string, FillIn<"csrfToken" | "callbackUrl">>

/** A service has a few origins; behind a proxy that passes on any host, visitors choose how many. */
const capacity = 32

export function createSignInPrints(): SignInPrints {
  return new BoundedMap(capacity)
}
