import type { SameSite } from "./set-cookie.js"

/** A cookie as a browser keeps it. */
export interface StoredCookie {
  readonly name: string
  /** As on the wire: percent-encoding is not undone. */
  readonly value: string
  readonly domain: string
  /** True without `Domain`: the cookie goes to this host alone. */
  readonly isHostOnly: boolean
  readonly path: string
  readonly isSecure: boolean
  readonly isHttpOnly: boolean
  readonly sameSite: SameSite
  /** Null: until the browser is closed. */
  readonly expiresAt: Date | null
}
