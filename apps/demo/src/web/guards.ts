import type { RequestHandler } from "express"

/**
 * Answers only requests for the server's own name. A page elsewhere that lets its name point to this machine (DNS rebinding)
 * is refused; who opened the address by number is sent to the name, which passkeys and cookies need.
 */
export function onlyAsLocalhost(origin: string): RequestHandler {
  const { host, port } = new URL(origin)
  const byNumber = new Set([`127.0.0.1:${port}`, `[::1]:${port}`])
  return (request, response, next) => {
    const asked = request.headers.host ?? ""
    if (asked === host) return next()
    if (isRead(request.method) && byNumber.has(asked) && request.originalUrl.startsWith("/")) {
      return response.redirect(307, origin + request.originalUrl)
    }
    response.status(421).type("text/plain").send(`Open ${origin} instead.\n`)
  }
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD"
}

/**
 * Refuses form posts that another site's page makes the browser send. Browsers tell where a request comes from in
 * `Sec-Fetch-Site`, older ones in `Origin`; pages can set neither. A request that says nothing is refused as well.
 */
export function onlyFromOwnPages(origin: string): RequestHandler {
  return (request, response, next) => {
    const site = request.headers["sec-fetch-site"]
    const isOwn = site === undefined ? request.headers.origin === origin : site === "same-origin"
    if (isOwn) return next()
    response.status(403).type("text/plain").send("This form was sent from somewhere else. Nothing has changed.\n")
  }
}

export interface PagePolicy {
  /** Origins to which a form, or a redirect that answers it, may lead besides the page's own. */
  readonly formTargets: readonly string[]
  /** Whether the page runs scripts of this site, which may ask this site. Default: false. */
  readonly runsScripts?: boolean
}

/** Headers of a page: no script unless it is told so, nothing from elsewhere, no framing, nothing kept by the browser. */
export function pageHeaders({ formTargets, runsScripts = false }: PagePolicy): RequestHandler {
  const policy = [
    "default-src 'none'",
    ...(runsScripts ? ["script-src 'self'", "connect-src 'self'"] : []),
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
      // Not `no-referrer`: browsers would then send `Origin: null` with the page's own forms.
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
    })
    next()
  }
}
