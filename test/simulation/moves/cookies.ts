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
export function restoreCookies(browser: VisitorBrowser, cookies: CopiedCookies): void {
  for (const cookie of cookies) {
    const isKnown = browser.jar.list().some(({ name }) => name === cookie.name)
    if (!isKnown) putCookies(browser, [cookie])
  }
}

/** Puts a session in the place of the browser's own. */
export function putSession(browser: VisitorBrowser, cookies: CopiedCookies): void {
  browser.jar.remove(({ name }) => isSessionCookie(browser.sessionCookie, name))
  putCookies(browser, cookies)
}

function putCookies({ jar }: VisitorBrowser, cookies: CopiedCookies): void {
  const place = { domain: "app.corp.test", isHostOnly: true, path: "/", isSecure: true, isHttpOnly: true } as const
  for (const { name, value } of cookies) jar.put({ name, value, ...place, sameSite: "Lax", expiresAt: null })
}
