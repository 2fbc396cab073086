interface PageHeaderNeeds {
  /** Addresses of the images on the page. Those of other origins are allowed one by one. */
  readonly logos?: readonly (string | undefined)[]
  /** Addresses to which a form's answer may redirect: the providers' authorization endpoints. */
  readonly formTargets?: readonly (string | undefined)[]
  /** Whether pages run the service's own script, which asks the service alone. Default: false. */
  readonly runsScript?: boolean
}

/**
 * What built-in pages say beyond their type; names in lower case, as all of a reply. They carry the CSRF token, so no
 * cache may keep them.
 */
export function pageHeaders(needs: PageHeaderNeeds = {}): Readonly<Record<string, string>> {
  return {
    "content-security-policy": contentSecurityPolicy(needs),
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    // Not `no-referrer`: under that, browsers send `Origin: null` with a form (Fetch, "serializing a request origin"),
    // and the service could not tell its own form from a foreign one.
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  }
}

function contentSecurityPolicy({ logos = [], formTargets = [], runsScript = false }: PageHeaderNeeds): string {
  const plainTargets = originsOf(formTargets).filter((origin) => origin.startsWith("http:"))
  const directives: Readonly<Record<string, readonly string[]>> = {
    "default-src": ["'none'"],
    "style-src": ["'self'"],
    ...(runsScript && { "script-src": ["'self'"], "connect-src": ["'self'"] }),
    "img-src": ["'self'", "data:", ...originsOf(logos)],
    "base-uri": ["'none'"],
    "frame-ancestors": ["'none'"],
    // Chromium also applies this to the redirects that follow a form, so the providers must be in it; they are many and
    // some are discovered late, hence all of https.
    "form-action": ["'self'", "https:", ...plainTargets],
  }
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ")
}

/** An origin without what a policy reads as its own: a URL's host may hold `;`, `,` and `*`. */
const plainOrigin = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/

/** A path belongs to the page's own origin, which needs no naming. What is no text says nothing: another mistake does. */
function originsOf(addresses: readonly unknown[]): readonly string[] {
  const origins = addresses.map((address) => (typeof address === "string" ? (URL.parse(address)?.origin ?? "") : ""))
  return [...new Set(origins.filter((origin) => plainOrigin.test(origin)))]
}
