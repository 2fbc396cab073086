import { JWTSessionError } from "../errors/errors.js"
import { type CookieJar, clearedCookie, encodeCookieValue, plainCookieText } from "../http/cookies.js"
import { mostSessionChunks } from "../http/limits.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

/** Characters of one value: browsers accept 4096 for a whole cookie, of which 160 are left for name and attributes. */
const chunkLength = 3936
/** Each value costs a decryption or a query, so that a forged header must not bring many. */
const maxCandidates = 4

/**
 * The cookies that carry a value: the cookie itself, or `<name>.0`, `<name>.1`, ... when the value is too long for one.
 * Clears all other cookies of the name that the request holds.
 * @param maxChunks At most 20, which is the default.
 * @throws JWTSessionError when the value needs more cookies; browsers would drop some silently.
 */
export function writeSessionCookies(
  cookie: ResponseCookie,
  jar: CookieJar,
  maxChunks: number = mostSessionChunks,
): readonly ResponseCookie[] {
  const pieces = toPieces(cookie.value)
  if (pieces.length > maxChunks) {
    throw new JWTSessionError(`The session is too large for cookies: more than ${maxChunks * chunkLength} characters`)
  }
  const written =
    pieces.length === 1 ? [cookie] : pieces.map((value, n) => ({ ...cookie, name: `${cookie.name}.${n}`, value }))
  const stale = ownNames(jar, cookie.name).filter((name) => !written.some((each) => each.name === name))
  return [...written, ...stale.map((name) => clearedCookie({ ...cookie, name }))]
}

/**
 * All values that may be the session, the likeliest first: cookies of the plain name, so that a chunk set by a
 * neighboring site cannot spoil them, then the chunks joined by number (unless the first is missing, or there are more
 * than `maxChunks`). Browsers send a cookie twice when it was set for two paths or domains; only one of them decrypts.
 */
export function readSessionCookies(
  jar: CookieJar,
  name: string,
  maxChunks: number = mostSessionChunks,
): readonly string[] {
  const plain = jar.values(name)
  const joined = joinChunks(jar, name, maxChunks)
  // The usual case: one cookie of the name, or none.
  if (joined === undefined && plain.length < 2) return plain[0] === "" ? [] : plain
  const candidates = new Set([...plain.slice(0, maxCandidates), joined ?? ""])
  candidates.delete("")
  return [...candidates]
}

/** Cookies that clear what the request holds of a name: the plain cookie and its chunks. */
export function clearSessionCookies(jar: CookieJar, cookie: CookieOption): readonly ResponseCookie[] {
  return ownNames(jar, cookie.name).map((name) => clearedCookie({ ...cookie, name }))
}

const chunkNumber = /^\.(?:0|[1-9]\d?)$/

/** `<name>` and `<name>.<n>`, as far as the request has them. */
function ownNames(jar: CookieJar, name: string): readonly string[] {
  return jar.namesStarting(name).filter((each) => {
    const suffix = each.slice(name.length)
    return suffix === "" || (chunkNumber.test(suffix) && Number(suffix.slice(1)) < mostSessionChunks)
  })
}

function joinChunks(jar: CookieJar, name: string, maxChunks: number): string | undefined {
  let joined: string | undefined
  for (let n = 0; n <= maxChunks; n++) {
    const chunk = jar.get(`${name}.${n}`)
    if (chunk === undefined) return joined
    joined = (joined ?? "") + chunk
  }
  return undefined
}

function toPieces(value: string): readonly string[] {
  // Tokens and random ids are not encoded, so that their length in the header is their own.
  if (!plainCookieText.test(value)) return sliceEncoded(value)
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
