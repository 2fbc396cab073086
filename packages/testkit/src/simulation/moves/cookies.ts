import { sessionCookie } from "../instance.js"
import type { VisitorBrowser } from "../visitor-browser.js"
import type { HeldFlow } from "../world.js"

/** The cookies of the app, without the session. */
export function copyCookies({ jar }: VisitorBrowser): HeldFlow["cookies"] {
  return jar
    .list()
    .filter(({ domain, name }) => domain === "app.corp.test" && name !== sessionCookie)
    .map(({ name, value }) => ({ name, value }))
}

/** Puts copied cookies back, unless the browser has others of the name. */
export function restoreCookies({ jar }: VisitorBrowser, cookies: HeldFlow["cookies"]): void {
  for (const { name, value } of cookies) {
    if (jar.list().some((known) => known.name === name)) continue
    const place = { domain: "app.corp.test", isHostOnly: true, path: "/", isSecure: true, isHttpOnly: true } as const
    jar.put({ name, value, ...place, sameSite: "Lax", expiresAt: null })
  }
}
