import { createSealer, type SealedClaims } from "../crypto/seal.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { type CookieScheme, type SealedOwnCookie, toOwnCookie } from "../http/own-cookies.js"
import { andThen, systemClock } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

/** A value that one browser keeps for the service, and cannot read or change. */
export interface SealedCookie<Value extends SealedClaims> {
  readonly cookie: CookieOption
  /**
   * The cookie with the value. It may be larger than its share.
   * @param seconds How long it lives. Default: as long as its kind.
   */
  write(value: Value, seconds?: number): Awaitable<ResponseCookie>
  /** All values that the browser has, the newest path first; without https, a neighboring site may have planted some. */
  read(jar: CookieJar): Promise<readonly Opened<Value>[]>
  /** The values among some texts. */
  open(texts: readonly string[]): Promise<readonly Opened<Value>[]>
  /** The cookies that remove it, if the browser has it. */
  clear(jar: CookieJar): readonly ResponseCookie[]
}

/** A value as it is read: it may be of an earlier version. */
export type Opened<Value> = Partial<Readonly<Record<keyof Value, unknown>>>

/** What seals cookies. */
export interface SealedCookieDeps extends CookieScheme {
  readonly secrets: readonly string[]
}

/**
 * @param own A cookie of the table, or one that a feature brings.
 * @throws MissingSecret, InvalidConfiguration
 */
export function sealedCookie<Value extends SealedClaims>(
  own: SealedOwnCookie,
  deps: SealedCookieDeps,
): SealedCookie<Value> {
  const sealer = createSealer(deps.secrets, systemClock)
  const cookie = toOwnCookie(own, deps)
  const { seal: purpose, seconds: usualSeconds = 0 } = own

  async function open(texts: readonly string[]): Promise<readonly Opened<Value>[]> {
    const opened = await Promise.all(texts.map((text) => sealer.open(purpose, text)))
    // as: only this service seals values for the purpose.
    return opened.filter((value) => value !== null) as readonly Opened<Value>[]
  }

  return {
    cookie,
    write(value, seconds = usualSeconds) {
      const options = { ...cookie.options, expires: new Date(systemClock() + seconds * 1000) }
      return andThen(sealer.seal(purpose, value, seconds), (sealed) => ({ name: cookie.name, value: sealed, options }))
    },
    read: (jar) => open(jar.values(cookie.name)),
    open,
    clear: (jar) => (jar.values(cookie.name).length > 0 ? [clearedCookie(cookie)] : []),
  }
}
