import { JWTSessionError } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import {
  type CookieJar,
  clearedCookie,
  defaultSessionChunks,
  encodeCookieValue,
  mostSessionChunks,
  PlainCookie,
  plainCookieText,
} from "../http/cookies.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

/** Maximum length of one value. Browsers accept 4096 characters for a cookie: 160 are left for its name and attributes. */
const chunkLength = 3936

/** Length of the longest value under any configuration. This service never sets a longer one. */
const maxReadLength = mostSessionChunks * chunkLength

/** The session does not fit into its cookies. */
export class SessionTooLarge extends JWTSessionError {}

/**
 * The cookies that carry a value: the cookie itself, or `<name>.0`, `<name>.1`, ... when the value is too long for one.
 * Clears all other cookies of the name that the request holds.
 * @param maxChunks Default: as many as a default Node server accepts.
 * @throws SessionTooLarge when the value needs more cookies: servers would answer each request with 431.
 */
export function writeSessionCookies(
  cookie: ResponseCookie,
  jar: CookieJar,
  maxChunks: number = defaultSessionChunks,
): readonly ResponseCookie[] {
  const pieces = toPieces(cookie)
  if (pieces.length > maxChunks || cookie.value.length > maxLengthOf(maxChunks)) {
    const facts = { characters: encodeCookieValue(cookie.value).length, allowed: maxLengthOf(maxChunks) }
    throw new SessionTooLarge(explainSize(cookie.value, maxChunks), because("session-too-large", facts))
  }
  const held = ownNames(jar, cookie.name)
  const isDoubled = cookie.options.domain && held.some((name) => jar.values(name).length > 1)
  const former = isDoubled ? clearHostOnly(jar, cookie) : []
  // The usual case: the cookie replaces the only one that the request holds.
  if (pieces.length === 1 && former.length === 0 && held.every((name) => name === cookie.name)) return [cookie]
  const written =
    pieces.length === 1 ? [cookie] : pieces.map((value, n) => ({ ...cookie, name: `${cookie.name}.${n}`, value }))
  const stale = held.filter((name) => !written.some((each) => each.name === name))
  return [...former, ...written, ...stale.map((name) => clearedCookie({ ...cookie, name }))]
}

function explainSize(value: string, maxChunks: number): string {
  const size = encodeCookieValue(value).length
  return `The session has ${size} characters, but its cookies may have ${maxLengthOf(maxChunks)}. Put less into the token that callbacks.jwt returns, or store sessions in a database (session.strategy). If every server and proxy in front accepts larger headers, raise requestLimits.sessionChunks`
}

/** Characters that a default Node server accepts beside the cookies of a sign-in in progress. */
const defaultMaxLength = 10 * 1024

/** Characters that a session may have. */
export function maxLengthOf(maxChunks: number = defaultSessionChunks): number {
  const length = maxChunks * chunkLength
  return maxChunks > defaultSessionChunks ? length : Math.min(length, defaultMaxLength)
}

/**
 * Values of one name that are tried. Browsers send longer paths first (RFC 6265 section 5.4), and a neighboring site can
 * plant any number of those. The service's own path is `/`, so that only cookies of parent domains come behind its own.
 */
const triedValues = 16
const triedChunks = 3
const triedJoins = triedChunks ** 3

/**
 * All values that may be the session, the likeliest first: cookies of the plain name, so that a chunk set by a
 * neighboring site cannot spoil them, then the chunks joined by number (unless the first is missing, or there are more
 * than 20). Browsers send a cookie twice when it was set for two paths or domains; only one of them decrypts.
 */
export function readSessionCookies(jar: CookieJar, name: string): readonly string[] {
  if (jar.size === 0) return []
  const plain = jar.values(name).filter(({ length }) => length <= maxReadLength)
  const isChunked = jar.get(`${name}.0`) !== undefined
  // The usual case: one cookie of the name, or none.
  if (!isChunked && plain.length < 2) return plain[0] === "" ? [] : plain
  const candidates = new Set([...plain.slice(-triedValues), ...(isChunked ? joinChunks(jar, name) : [])])
  candidates.delete("")
  return [...candidates]
}

/** Cookies that clear what the request holds of a name: the plain cookie and its chunks. */
export function clearSessionCookies(jar: CookieJar, cookie: CookieOption): readonly ResponseCookie[] {
  return jar.size === 0 ? [] : [...clearHostOnly(jar, cookie), ...clearNames(jar, cookie)]
}

/**
 * Clears what the request holds of a name without its domain: a session from before the app configured one, or from a
 * middleware that does not. To be sent before the cookies with the domain, since some frameworks keep the last of a name.
 */
export function clearHostOnly(jar: CookieJar, { name, options }: CookieOption): readonly ResponseCookie[] {
  return options.domain ? clearNames(jar, { name, options: { ...options, domain: undefined } }) : []
}

const clearNames = (jar: CookieJar, { name, options }: CookieOption) =>
  ownNames(jar, name).map((each) => clearedCookie({ name: each, options }))

const chunkNumber = /^\.(?:0|[1-9]\d?)$/

/** `<name>` and `<name>.<n>`, as far as the request has them. */
function ownNames(jar: CookieJar, name: string): readonly string[] {
  return jar.namesStarting(name).filter((each) => {
    const suffix = each.slice(name.length)
    return suffix === "" || (chunkNumber.test(suffix) && Number(suffix.slice(1)) < mostSessionChunks)
  })
}

/** A chunk that is not full is the last one; later ones are planted. All are joined too: encoded chunks vary in length. */
function joinChunks(jar: CookieJar, name: string): readonly string[] {
  const chunks: (readonly string[])[] = []
  for (let n = 0; jar.get(`${name}.${n}`) !== undefined; n++) {
    if (n === mostSessionChunks) return []
    chunks.push([...new Set(jar.values(`${name}.${n}`))].slice(-triedChunks))
  }
  const ends = chunks.flatMap((values, n) => (values.some(({ length }) => length < chunkLength) ? [n + 1] : []))
  return [chunks.length, ...ends].flatMap((end) => combine(chunks.slice(0, end))).slice(0, 2 * triedJoins)
}

/** Joins one value of each chunk, in all ways if there are few. */
function combine(chunks: readonly (readonly string[])[]): readonly string[] {
  return chunks.reduce<readonly string[]>(
    (heads, values) => heads.flatMap((head) => values.map((value) => head + value)).slice(0, triedJoins),
    [""],
  )
}

function toPieces(cookie: ResponseCookie): readonly string[] {
  const { value } = cookie
  // Tokens and random ids are not encoded, so that their length in the header is their own.
  if (!(cookie instanceof PlainCookie || plainCookieText.test(value))) return sliceEncoded(value)
  if (value.length <= chunkLength) return [value]
  const count = Math.ceil(value.length / chunkLength)
  return Array.from({ length: count }, (_, n) => value.slice(n * chunkLength, (n + 1) * chunkLength))
}

/** Cuts between code points, so that each piece can be encoded and decoded on its own. */
function sliceEncoded(value: string): readonly string[] {
  const pieces: string[] = []
  let piece = ""
  let room = chunkLength
  for (const character of value) {
    const { length } = encodeCookieValue(character)
    if (length > room) {
      pieces.push(piece)
      piece = ""
      room = chunkLength
    }
    piece += character
    room -= length
  }
  return [...pieces, piece]
}
