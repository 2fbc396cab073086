import { JWTSessionError } from "../errors/errors.js"
import { type CookieJar, clearedCookie, encodeCookieValue, plainCookieText } from "../http/cookies.js"
import { mostSessionChunks } from "../http/limits.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

/** Characters of one value: 4096, which browsers take for a whole cookie, less 160 for its name and attributes. */
const chunkLength = 3936
/** More values under one name than these are somebody's attempt to keep the server busy. */
const maxCandidates = 4
const chunkNumber = /^\.(?:0|[1-9]\d?)$/

/**
 * The cookies that carry a value: the cookie itself, or `<name>.0`, `<name>.1`, ... when the value is too long for one.
 * What the request holds of this name beyond them is cleared.
 * @param maxChunks At most, and by default, 20.
 * @throws JWTSessionError when the value is too long for them; browsers would drop cookies without a word.
 */
export function toChunks(
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
 * Every value that may be the one meant, the likeliest first: those under the plain name, so that a chunk set by a
 * neighbouring site cannot spoil it, then the chunks joined by number (none when the first is missing, or with more
 * than
 * `maxChunks`). Browsers send a cookie twice when it was set for two paths or domains, and only what is authentic tells which is ours.
 */
export function readCandidates(jar: CookieJar, name: string, maxChunks: number = mostSessionChunks): readonly string[] {
  const plain = jar.values(name)
  const joined = joinChunks(jar, name, maxChunks)
  // Nearly every request holds one cookie of the name, or none.
  if (joined === undefined && plain.length < 2) return plain[0] === "" ? [] : plain
  const candidates = new Set([...plain.slice(0, maxCandidates), joined ?? ""])
  candidates.delete("")
  return [...candidates]
}

/** Cookies that clear whatever the request holds under this name: the plain cookie and its chunks, nothing else. */
export function clearChunks(jar: CookieJar, cookie: CookieOption): readonly ResponseCookie[] {
  return ownNames(jar, cookie.name).map((name) => clearedCookie({ ...cookie, name }))
}

/** What the request holds under this name, as `<name>` and `<name>.<n>`. */
function ownNames(jar: CookieJar, name: string): readonly string[] {
  return jar.namesStarting(name).filter((each) => each === name || isChunkNumber(each.slice(name.length)))
}

function isChunkNumber(suffix: string): boolean {
  return chunkNumber.test(suffix) && Number(suffix.slice(1)) < mostSessionChunks
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
  // Tokens and random ids hold nothing to encode: their length in the header is their own.
  return plainCookieText.test(value) ? slice(value) : sliceEncoded(value)
}

function slice(value: string): readonly string[] {
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
