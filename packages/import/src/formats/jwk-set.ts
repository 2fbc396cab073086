import { fromBase64, fromBase64url, toBytes, toText } from "./bytes.js"
import { type Fields, isFields, parseFields, readText, toDate } from "./json.js"
import { parseHeader } from "./jwe.js"

/** The public keys of a service: a JWK Set, RFC 7517 section 5. */
export interface JwkSet {
  readonly keys: readonly object[]
}

/** Where the keys of a service come from. */
export interface KeySource {
  readonly keys?: JwkSet | undefined
  /** The address of the set. Asked once a minute at most. */
  readonly url?: string | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/**
 * What a token is: its claims, or why it is none. `unknown`: the keys could not be had.
 * `signed`: identifies it. Of its signature, there may be others that are valid.
 */
export type VerifiedJws =
  | { readonly kind: "verified"; readonly claims: Fields; readonly signed: string }
  | { readonly kind: "refused" | "over" | "unknown" }

const algorithms = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  HS256: { name: "HMAC", hash: "SHA-256" },
} as const

type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>
type PublicJwk = Readonly<Record<"kty" | "n" | "e" | "crv" | "x" | "y", string>>
type Algorithm = keyof typeof algorithms
type PublicAlgorithm = Exclude<Algorithm, "HS256">

/** The parts of a compact JWS, RFC 7515 section 7.1. */
interface JwsParts {
  readonly algorithm: Algorithm
  readonly keyId: string | undefined
  readonly claims: Fields
  readonly signed: string
  readonly signature: Uint8Array<ArrayBuffer>
}

const maxLength = 16_384

function parseJws(text: string, accepted: readonly Algorithm[]): JwsParts | null {
  if (text.length > maxLength) return null
  const [protectedHeader = "", payload = "", encoded = "", surplus] = text.split(".", 4)
  const header = parseHeader(protectedHeader)
  const bytes = fromBase64url(payload)
  const claims = bytes && parseFields(toText(bytes.buffer))
  const signature = fromBase64url(encoded)
  const algorithm = accepted.find((each) => each === header?.["alg"])
  if (surplus !== undefined || !header || !claims || !signature || !algorithm) return null
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "b64")) return null
  return { algorithm, keyId: readText(header, "kid"), claims, signed: `${protectedHeader}.${payload}`, signature }
}

/** The claims of a token that something else protects. Null if it is none. */
export function readUnverified(text: unknown): Fields | null {
  const [, payload] = typeof text === "string" ? text.split(".", 3) : []
  const bytes = payload === undefined ? null : fromBase64(payload)
  return bytes && parseFields(toText(bytes.buffer))
}

/** Verifies tokens with a secret, or with the public keys of a service: never with one in place of the other. */
export function createVerifier(
  secrets: readonly string[],
  source: KeySource,
): (text: string, now: number) => Promise<VerifiedJws> {
  const keySet = createKeySet(source)
  const hasKeys = source.keys !== undefined || source.url !== undefined
  const accepted: readonly Algorithm[] = [
    ...(hasKeys ? (["RS256", "ES256"] as const) : []),
    ...(secrets.length > 0 ? (["HS256"] as const) : []),
  ]
  return async (text, now) => {
    const parts = parseJws(text, accepted)
    if (!parts) return { kind: "over" }
    const { algorithm, keyId, claims, signed, signature } = parts
    const found = algorithm === "HS256" ? await importSecrets(secrets) : await keySet.find({ algorithm, keyId }, now)
    if (found === "unknown") return { kind: "unknown" }
    for (const key of found) {
      if (await crypto.subtle.verify(algorithms[algorithm], key, signature, toBytes(signed)))
        return { kind: "verified", claims, signed }
    }
    return { kind: "refused" }
  }
}

function importSecrets(secrets: readonly string[]): Promise<readonly PublicKey[]> {
  return Promise.all(
    secrets.map((secret) => crypto.subtle.importKey("raw", toBytes(secret), algorithms.HS256, false, ["verify"])),
  )
}

interface Wanted {
  readonly algorithm: PublicAlgorithm
  readonly keyId: string | undefined
}

interface KeySet {
  find(wanted: Wanted, now: number): Promise<readonly PublicKey[] | "unknown">
}

const minuteMs = 60_000
const timeoutMs = 5_000
const maxKeys = 50
/** How long a request pauses that waits for what another one asks. Runtimes end the promises of a request with its visitor. */
const pauseMs = 20
/** Keys that a token without the id of one is tried with. */
const maxTried = 4

function createKeySet({ keys, url, fetch: ask = fetch }: KeySource): KeySet {
  let known: readonly object[] = keys?.keys ?? []
  let askedAt = Number.NEGATIVE_INFINITY
  let isAsking = false

  async function refresh(address: string, now: number): Promise<void> {
    askedAt = now
    isAsking = true
    try {
      const answer = await ask(address, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) })
      const set: unknown = answer.ok ? await answer.json() : null
      if (isFields(set) && Array.isArray(set["keys"])) known = set["keys"].filter(isFields).slice(0, maxKeys)
    } catch {
      // The former keys stay. Asked again in a minute.
    }
    isAsking = false
  }

  async function waitForOther(): Promise<void> {
    for (let waitedMs = 0; isAsking && waitedMs < timeoutMs; waitedMs += pauseMs) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  return {
    async find(wanted, now) {
      const found = await importKeys(known, wanted)
      // Without an address there are no others.
      if (found.length > 0 || url === undefined) return found
      // A key may be new. A time in the future means that the clock was set back.
      if (now - askedAt >= minuteMs || askedAt > now) await refresh(url, now)
      else if (isAsking && now - askedAt < timeoutMs) await waitForOther()
      else return "unknown"
      const others = await importKeys(known, wanted)
      return others.length > 0 ? others : "unknown"
    },
  }
}

async function importKeys(keys: readonly object[], { algorithm, keyId }: Wanted): Promise<readonly PublicKey[]> {
  const type = algorithm === "RS256" ? "RSA" : "EC"
  const fitting = keys.filter((key) => {
    const { kty, kid, alg, use } = { ...key } as Fields // as: members of JSON.
    const isUsable = kty === type && (alg === undefined || alg === algorithm) && (use === undefined || use === "sig")
    return isUsable && (keyId === undefined || kid === undefined || kid === keyId)
  })
  const imported = await Promise.all(
    fitting
      .slice(0, maxTried)
      .map((key) =>
        crypto.subtle.importKey("jwk", toPublic(key), algorithms[algorithm], false, ["verify"]).catch(() => null),
      ),
  )
  return imported.filter((key) => key !== null)
}

/** Without members that limit the key to something else, and without private ones. */
function toPublic(key: object): Partial<PublicJwk> & Pick<PublicJwk, "kty"> {
  const { kty, n, e, crv, x, y } = { ...key } as PublicJwk // as: checked by `importKey`.
  return kty === "RSA" ? { kty, n, e } : { kty, crv, x, y }
}

/** A public key in PEM, as services show it. */
export async function toJwkSet(pem: string): Promise<JwkSet | null> {
  const bytes = fromBase64(pem.replace(/-----[A-Z ]+-----|\s/g, ""))
  if (!bytes) return null
  try {
    const key = await crypto.subtle.importKey("spki", bytes, algorithms.RS256, true, ["verify"])
    return { keys: [await crypto.subtle.exportKey("jwk", key)] }
  } catch {
    return null
  }
}

/** Whether a token is valid at a time, with a tolerance for clocks: `exp` is required, `nbf` is not. */
export function isCurrent({ exp, nbf }: Fields, now: number, toleranceMs: number): boolean {
  const [end, start] = [toDate(exp), toDate(nbf)]
  if (!end || end.valueOf() + toleranceMs <= now) return false
  return nbf === undefined || (start !== undefined && start.valueOf() - toleranceMs <= now)
}
