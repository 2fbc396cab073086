import type { ResponseCookie } from "@latchkey/core"
import { serializeCookie } from "@latchkey/core/integration"

/** Cookies of one request's answer, until it is sent. */
export interface PendingCookies {
  /** Those of an action take the place of what told the same before. */
  replace(cookies: readonly ResponseCookie[]): void
  /** Those of a session that was only read give way to what an action said. */
  addRenewed(cookies: readonly ResponseCookie[]): void
  /**
   * Takes them as the text of headers, without those of which the answer has others: a renewed session behind one that
   * was ended would sign people in again.
   */
  take(sent: readonly string[]): readonly string[]
}

export function createPendingCookies(): PendingCookies {
  let pending: readonly ResponseCookie[] = []
  return {
    replace(cookies) {
      pending = [...without(pending, toFamilies(cookies)), ...cookies]
    },
    addRenewed(cookies) {
      pending = [...pending, ...without(cookies, toFamilies(pending))]
    },
    take(sent) {
      const told = new Set(sent.map((line) => toFamily(line.split("=", 1)[0] ?? "")))
      const taken = without(pending, told)
      pending = []
      return taken.map((cookie) => serializeCookie(cookie))
    },
  }
}

function without(cookies: readonly ResponseCookie[], families: ReadonlySet<string>): readonly ResponseCookie[] {
  return cookies.filter(({ name }) => !families.has(toFamily(name)))
}

function toFamilies(cookies: readonly ResponseCookie[]): ReadonlySet<string> {
  return new Set(cookies.map(({ name }) => toFamily(name)))
}

/** A long session is cut into `<name>.0`, `<name>.1` and so on: one of them speaks for all. */
function toFamily(name: string): string {
  return name.replace(/\.\d+$/, "")
}
