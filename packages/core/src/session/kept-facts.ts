import type { HostCallbacks } from "../host/callbacks.js"
import type { JWT } from "../types/jwt.js"

/** What tracked sessions write to their tokens: `token-lookup.ts` has them one by one, `short-facts.ts` as one text. */
const factNames = ["sid", "chk", "amr", "auth_time"] as const

function isTracked({ sid, chk }: JWT): boolean {
  return (
    (typeof sid === "string" && typeof chk === "number") || (typeof chk === "string" && /^\S+ \d* -?\d+ /.test(chk))
  )
}

/** Calls the app's `jwt` callback for a token that may be that of a tracked session, and keeps the session's claims. */
export async function renewTracked(
  jwt: HostCallbacks["jwt"],
  ...[params, request]: Parameters<HostCallbacks["jwt"]>
): Promise<JWT | null> {
  if (!isTracked(params.token)) return jwt(params, request)
  const { sub, sid_sub: owner = sub } = params.token
  // Without these, the half of the app that tracks sessions would see a new session that no user can end.
  const facts = Object.fromEntries(factNames.map((name) => [name, params.token[name]]))
  const kept = await jwt(params, request)
  if (kept === null) return null
  const token: JWT = { ...kept, ...facts }
  // The app may show another user than the one whose session it is.
  return kept.sub === owner ? token : { ...token, sid_sub: owner }
}
