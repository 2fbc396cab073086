import { findOriginMistake } from "../web/allowed-origins.js"

/** What is wrong with the option `allowedOrigins`, as a sentence; null when nothing is. */
export function findAllowedOriginsMistake(entries: unknown): string | null {
  if (entries === undefined) return null
  if (!Array.isArray(entries)) return "allowedOrigins: must be a list of origins"
  if (entries.length === 0) return "allowedOrigins: must list an origin, or be left out"
  for (const [index, entry] of entries.entries()) {
    const sentence = findOriginMistake(entry)
    if (sentence !== null) return `allowedOrigins[${index}]: ${sentence}`
  }
  return null
}
