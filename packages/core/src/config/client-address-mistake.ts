import { parseIpRange } from "../web/ip-address.js"
import type { ResolvedConfig } from "./resolved-config.js"

/** What keeps the visitor's address from being found. */
export function findClientAddressMistake({ trustedProxies, clientAddress }: ResolvedConfig): string | null {
  if (clientAddress !== undefined && typeof clientAddress !== "function") {
    return "clientAddress: must be a function that reads the address from a request"
  }
  // A host without type checks may write one text, whose letters would be looked at one by one.
  if (!Array.isArray(trustedProxies)) return 'trustedProxies: must be a list, such as ["10.0.0.0/8"]'
  for (const [index, text] of trustedProxies.entries()) {
    const range = typeof text === "string" ? parseIpRange(text) : null
    if (!range) return `trustedProxies[${index}]: must be an address or a range, such as "10.0.0.0/8" or "2001:db8::1"`
    if (range.prefixLength === 0) {
      return `trustedProxies[${index}]: is every address there is, so that each visitor could choose their own. Name the proxies`
    }
  }
  return null
}
