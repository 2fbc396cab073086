import type { CookieOption } from "../contract/cookies.js"
import type { ResponseCookie } from "../contract/response.js"

/** The cookie that makes a browser forget one: same name and attributes, no value, no time to live. */
export function clearedCookie({ name, options }: CookieOption): ResponseCookie {
  const { expires: _, ...kept } = options
  return { name, value: "", options: { ...kept, maxAge: 0 } }
}
