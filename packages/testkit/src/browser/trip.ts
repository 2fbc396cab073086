/** What a request may carry. Nothing that can be read only once, since a redirect may send it again. */
export type TripBody = string | URLSearchParams | FormData | Uint8Array<ArrayBuffer>

/** The page that causes a request. */
export interface Initiator {
  readonly url: URL
  /** The page's `Referrer-Policy`. */
  readonly referrerPolicy: string
}

/** One request of a browser, with all that led to it. */
export interface Trip {
  readonly method: string
  /** The addresses of the redirects so far, and at the end the one that is requested now. */
  readonly chain: readonly [URL, ...URL[]]
  readonly headers: Headers
  readonly body: TripBody | null
  /** Null: typed into the address bar. */
  readonly from: Initiator | null
  /** `navigate` changes the address bar, `cors` is a script's request. */
  readonly mode: "navigate" | "cors"
}

export function destinationOf({ chain }: Trip): URL {
  return chain.at(-1) ?? chain[0]
}

/** The browser's default, W3C Referrer Policy section 3. */
export const defaultReferrerPolicy = "strict-origin-when-cross-origin"

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]

/** Where an answer sends the browser, Fetch section 4.4. Null when it is no redirect. */
export function followRedirect(trip: Trip, response: Response): Trip | null {
  const location = response.headers.get("location")
  if (location === null || !redirectStatuses.includes(response.status)) return null
  const from = destinationOf(trip)
  const to = new URL(location, from)
  if (to.hash === "") to.hash = from.hash
  const becomesGet = response.status === 303 ? trip.method !== "HEAD" : response.status <= 302 && trip.method === "POST"
  const chain: Trip["chain"] = [...trip.chain, to]
  const headers = headersAfterRedirect(trip.headers, { isSameOrigin: from.origin === to.origin, becomesGet })
  return becomesGet ? { ...trip, chain, headers, method: "GET", body: null } : { ...trip, chain, headers }
}

function headersAfterRedirect(
  headers: Headers,
  change: { readonly isSameOrigin: boolean; readonly becomesGet: boolean },
): Headers {
  const kept = new Headers(change.isSameOrigin ? headers : {})
  kept.delete("cookie")
  const contentType = headers.get("content-type")
  if (contentType !== null) kept.set("content-type", contentType)
  if (change.becomesGet) kept.delete("content-type")
  return kept
}
