import type { Request, RequestHandler } from "express"

/**
 * Answers only requests for `localhost`. Refuses a foreign host name that resolves to this machine (DNS rebinding), and
 * redirects from the IP address to `localhost`, which passkeys and cookies need.
 */
export function onlyAsLocalhost(origin: string): RequestHandler {
  const { host, port } = new URL(origin)
  const addresses = new Set([`127.0.0.1:${port}`, `[::1]:${port}`])
  return (request, response, next) => {
    const requested = request.headers.host ?? ""
    if (requested === host) return next()
    const isRead = request.method === "GET" || request.method === "HEAD"
    if (isRead && addresses.has(requested) && request.originalUrl.startsWith("/")) {
      return response.redirect(307, origin + request.originalUrl)
    }
    response.status(421).type("text/plain").send(`Open ${origin} instead.\n`)
  }
}

/**
 * Refuses form posts from pages of other sites (CSRF). Browsers send the source in `Sec-Fetch-Site`, older ones in
 * `Origin`; scripts can set neither. A request without both headers is refused too.
 */
export function onlyFromOwnPages(origin: string): RequestHandler {
  return (request, response, next) => {
    const site = request.headers["sec-fetch-site"]
    const isOwn = site === undefined ? request.headers.origin === origin : site === "same-origin"
    if (isOwn) return next()
    response.status(403).type("text/plain").send("This form was sent from another site. Nothing has changed.\n")
  }
}

export interface PagePolicy {
  /** Other origins to which a form, or the redirect after it, may lead. */
  readonly formTargets: readonly string[]
}

/** Sets headers that forbid framing, caching, scripts, and content from other sites. */
export function pageHeaders({ formTargets }: PagePolicy): RequestHandler {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "frame-src 'self'",
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ")
  return (_request, response, next) => {
    response.set({
      "Content-Security-Policy": policy,
      "Cache-Control": "private, no-store",
      // With `no-referrer`, browsers would send `Origin: null` with the page's own forms.
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
    })
    next()
  }
}

/** A trimmed field of a posted form. Empty if it is missing or not a single text. */
export function readField(request: Request, name: string): string {
  const body: unknown = request.body
  if (typeof body !== "object" || body === null) return ""
  const fields: Partial<Record<string, unknown>> = { ...body }
  const value = fields[name]
  return typeof value === "string" ? value.trim() : ""
}
