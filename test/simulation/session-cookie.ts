import type { StoredCookie } from "../../packages/testkit/src/browser/cookie-jar.js"
import type { Model } from "./model.js"
import type { Setting } from "./setting.js"

/** Name of the session cookie. A sibling can plant the usual one, but none with the prefix `__Host-`. */
export function nameSessionCookie({ isSessionPlantable }: Pick<Setting, "isSessionPlantable">): string {
  return isSessionPlantable ? "__Secure-authjs.session-token" : "__Host-session"
}

/** Whether a cookie holds the session or, as `<name>.0`, a part of it. */
export function isSessionCookie(sessionCookie: string, name: string): boolean {
  return (
    name === sessionCookie ||
    (name.startsWith(`${sessionCookie}.`) && /^[.]\d+$/.test(name.slice(sessionCookie.length)))
  )
}

/** The session cookies that the app itself set. */
export function ownSessionCookies(sessionCookie: string, cookies: readonly StoredCookie[]): readonly StoredCookie[] {
  return cookies.filter(({ name, isHostOnly }) => isHostOnly && isSessionCookie(sessionCookie, name))
}

/** A session that an answer starts or renews. */
export interface IssuedSession {
  /** The cookie's value, or the parts joined. Empty if the answer clears the session. */
  readonly value: string
  /** The cookies as `name=value`, if there are several. */
  readonly parts: readonly string[]
}

/** Reads the session that an answer sets. Undefined if it stays as it is. */
export function readIssuedSession(sessionCookie: string, headers: Headers): IssuedSession | undefined {
  const pairs = headers
    .getSetCookie()
    .map((header) => splitPair(header.split(";")[0] ?? ""))
    .filter(([name]) => isSessionCookie(sessionCookie, name))
  if (pairs.length === 0) return undefined
  const set = pairs.filter(([, value]) => value !== "")
  const parts = set.length > 1 ? set.map(([name, value]) => `${name}=${value}`) : []
  return { value: set.map(([, value]) => decodeURIComponent(value)).join(""), parts }
}

/**
 * The sessions that a request sends, by value: each cookie of the plain name, whatever it holds, and those that the model
 * knows to have several parts, if all of them are there.
 */
export function findSentSessions(sessionCookie: string, header: string, { sessions }: Model): readonly string[] {
  const pairs = header.split("; ")
  const plain = pairs.map(splitPair).filter(([name]) => name === sessionCookie)
  const sent = plain.map(([, value]) => decodeURIComponent(value))
  if (!header.includes(`${sessionCookie}.`)) return sent
  const known = new Set(pairs)
  for (const [value, { parts }] of sessions) {
    if (parts.length > 0 && parts.every((part) => known.has(part))) sent.push(value)
  }
  return sent
}

function splitPair(pair: string): readonly [name: string, value: string] {
  const equals = pair.indexOf("=")
  return [pair.slice(0, equals), pair.slice(equals + 1)]
}
