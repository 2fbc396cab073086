import { sealedCookie } from "../../checks/sealed-cookie.js"
import { sha256Hex } from "../../crypto/hash.js"
import type { CookieJar } from "../../http/cookies.js"
import { type CookieScheme, maxCookieLength, ownCookies } from "../../http/own-cookies.js"
import { isSameId } from "../../runtime/id.js"
import type { SessionRequest } from "../../session/session.js"
import type { Awaitable } from "../../types/basics.js"
import type { ResponseCookie } from "../../types/http.js"
import type { SignedInVisit } from "../visit.js"
import type { PendingHold } from "./hold.js"

// A page with a key or with recovery codes can be loaded again: phones do that by themselves. What it shows is in a sealed
// cookie, for ten minutes, and for one sign-in that waits or one session.

/** Whose the page is. Nothing is shown to another user, or in another session of the same one. */
export interface Place {
  readonly userId: string
  /** The sign-in that waits, or the session. */
  readonly owner: string
}

export const toHeldPlace = ({ userId, flow }: Pick<PendingHold, "userId" | "flow">): Place => ({
  userId,
  owner: `held ${flow}`,
})

export const toSessionPlace = (userId: string, sessionId: string | undefined): Place => ({
  userId,
  owner: `session ${sessionId ?? ""}`,
})

export function toVisitPlace({ userId, sessions }: Pick<SignedInVisit<SessionRequest>, "userId" | "sessions">): Place {
  return toSessionPlace(userId, sessions?.[0]?.id)
}

/** For a session whose id the store could not tell: until then, its cookie identifies it. */
export async function toCookiePlace(userId: string, cookie: readonly string[]): Promise<Place> {
  return { userId, owner: `cookie ${await sha256Hex(JSON.stringify(cookie))}` }
}

/** The key of an authenticator app that is being set up. The id becomes that of the factor. */
export interface SetupKey {
  readonly id: string
  readonly secret: string
}

/** New recovery codes, for the page that shows them. */
export interface ShownCodes {
  readonly codes: readonly string[]
  /** The id of their row. */
  readonly id: string
}

/** Recovery codes, with where their page leads. */
export interface KeptCodes extends ShownCodes {
  readonly url: string
}

/** What the pages of one browser show again. */
export interface ShownAgain {
  keepKey(key: SetupKey, place: Place): Awaitable<ResponseCookie>
  /** Null for one of another user, session or sign-in, and after ten minutes. It may have been confirmed since. */
  findKey(jar: CookieJar, place: Place): Promise<SetupKey | null>
  forgetKey(jar: CookieJar): readonly ResponseCookie[]
  /** Null if the browser would not keep the cookie. */
  keepCodes(kept: KeptCodes, place: Place): Promise<ResponseCookie | null>
  /** Null for those of another user or session, and after ten minutes. They may have been saved or replaced since. */
  findCodes(jar: CookieJar, place: Place): Promise<KeptCodes | null>
  forgetCodes(jar: CookieJar): readonly ResponseCookie[]
}

export function createShownAgain(deps: CookieScheme & { readonly secrets: readonly string[] }): ShownAgain {
  const keys = sealedCookie<Texts<keyof SetupKey | keyof Place>>(ownCookies.setup, deps)
  const sets = sealedCookie<Texts<keyof KeptCodes | keyof Place>>(ownCookies.codes, deps)
  return {
    keepKey: ({ id, secret }, { userId, owner }) => keys.write({ id, secret, userId, owner }),
    async findKey(jar, place) {
      for (const { id, secret, ...rest } of await keys.read(jar)) {
        if (isOf(rest, place) && typeof id === "string" && typeof secret === "string") return { id, secret }
      }
      return null
    },
    forgetKey: (jar) => keys.clear(jar),
    async keepCodes({ id, codes, url }, { userId, owner }) {
      const cookie = await sets.write({ id, codes: codes.join(" "), url, userId, owner })
      return cookie.name.length + cookie.value.length > maxCookieLength ? null : cookie
    },
    async findCodes(jar, place) {
      for (const { id, codes, url, ...rest } of await sets.read(jar)) {
        if (isOf(rest, place) && typeof id === "string" && typeof codes === "string" && typeof url === "string") {
          return { id, codes: codes.split(" "), url }
        }
      }
      return null
    },
    forgetCodes: (jar) => sets.clear(jar),
  }
}

type Texts<Name extends string> = { readonly [Each in Name]: string }

function isOf({ userId, owner }: Partial<Readonly<Record<string, unknown>>>, place: Place): boolean {
  return isSameId(userId, place.userId) && owner === place.owner
}
