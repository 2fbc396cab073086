import { isSessionCookie } from "../session-cookie.js"
import type { VisitorBrowser } from "../visitor-browser.js"
import type { CopiedCookies } from "../world.js"

/** The cookies of the app, without the session. */
export function copyCookies({ jar, sessionCookie }: VisitorBrowser): CopiedCookies {
  return jar
    .list()
    .filter(({ domain, name }) => domain === "app.corp.test" && !isSessionCookie(sessionCookie, name))
    .map(({ name, value }) => ({ name, value }))
}

/** Puts copied cookies back, unless the browser has others of the name. */
export function restoreCookies({ jar }: VisitorBrowser, cookies: CopiedCookies): void {
  for (const { name, value } of cookies) {
    if (jar.list().some((known) => known.name === name)) continue
    const place = { domain: "app.corp.test", isHostOnly: true, path: "/", isSecure: true, isHttpOnly: true } as const
    jar.put({ name, value, ...place, sameSite: "Lax", expiresAt: null })
  }
}
