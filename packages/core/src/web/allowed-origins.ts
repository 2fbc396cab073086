import { isHttp } from "./is-http.js"

/** The origins under which the service may be addressed. */
export interface AllowedOrigins {
  includes(url: URL): boolean
}

/** A wildcard stands for one label: of `https://*.ok.test`, scheme and suffix. */
interface Wildcard {
  readonly start: string
  /** With its leading dot, and the port if there is one. */
  readonly end: string
}

const wildcardMark = "://*."
const label = /^[a-z0-9_-]+$/

/**
 * What is wrong with an entry, as the rest of a sentence; null when nothing is. An entry is an origin as a browser
 * writes it (RFC 6454 section 6.2), or one with a single `*` for its first label.
 */
export function findOriginMistake(entry: unknown): string | null {
  if (typeof entry !== "string") return "must be text"
  const written = entry.replace(wildcardMark, "://")
  const url = URL.parse(written)
  if (!isHttp(url) || written.includes("*")) return "must be an origin such as https://app.test or https://*.app.test"
  const isWildcard = written !== entry
  if (isWildcard && !isNameOfOthers(url.hostname)) return "needs a name of two labels or more after the *"
  if (url.origin === written) return null
  const canonical = isWildcard ? url.origin.replace("://", wildcardMark) : url.origin
  return `must be an origin and no more: write ${canonical}`
}

/** A name under which somebody can have names: not an address, and not a whole top-level domain. */
function isNameOfOthers(hostname: string): boolean {
  if (hostname === "localhost") return true
  return /\.[a-z0-9-]*[a-z][a-z0-9-]*\.?$/.test(hostname)
}

/** Compares parsed origins, never texts of URLs. The entries must have no mistake. */
export function createAllowedOrigins(entries: readonly string[]): AllowedOrigins {
  const exact = new Set(entries.filter((entry) => !entry.includes(wildcardMark)))
  const wildcards = entries.filter((entry) => entry.includes(wildcardMark)).map(toWildcard)
  return {
    includes(url) {
      // `blob:` URLs have the origin of the page that made them.
      if (!isHttp(url)) return false
      const { origin } = url
      return exact.has(origin) || wildcards.some((wildcard) => matches(origin, wildcard))
    },
  }
}

function toWildcard(entry: string): Wildcard {
  const [scheme = "", name = ""] = entry.split(wildcardMark)
  return { start: `${scheme}://`, end: `.${name}` }
}

function matches(origin: string, { start, end }: Wildcard): boolean {
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false
  return label.test(origin.slice(start.length, -end.length))
}
