import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from "node:crypto"
import { csrfCookieName, origin, secret } from "../../fixtures/host.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import { findCookie, jsonHeaders } from "./http.ts"
import { takeRandom } from "./random.ts"

const macKey = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "csrf", "csrf", 32)))

function toMac(token: string): Buffer {
  return createHmac("sha256", macKey).update(token).digest()
}

/** What a browser that has seen a form sends with it. */
export function createCsrfPair(): { readonly cookie: string; readonly csrfToken: string } {
  const csrfToken = takeRandom(32).toString("hex")
  return { csrfToken, cookie: `${csrfCookieName}=${csrfToken}|${toMac(csrfToken).toString("hex")}` }
}

/** Double submit: the form's token is the cookie's, and the cookie is ours. */
export function assertCsrf(cookieHeader: string | null, csrfToken: string | null): void {
  const [token = "", mac = ""] = findCookie(cookieHeader, csrfCookieName).split("|")
  if (token !== csrfToken || !timingSafeEqual(toMac(token), Buffer.from(mac, "hex"))) throw new Error("No form of ours")
}

/** 32 random bytes, one HMAC, cookie and Response by hand. */
export async function openCsrf(): Promise<Subject<Request, Response>> {
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/csrf`),
    act() {
      const { cookie, csrfToken } = createCsrfPair()
      const headers = { ...jsonHeaders, "set-cookie": `${cookie}; Path=/; HttpOnly; Secure; SameSite=Lax` }
      return new Response(JSON.stringify({ csrfToken }), { headers })
    },
    sets: [csrfCookieName],
  }
}
