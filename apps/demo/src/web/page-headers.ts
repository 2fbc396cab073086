import type { RequestHandler } from "express"

export interface PagePolicy {
  /** Origins to which a form, or a redirect that answers it, may lead besides the page's own. */
  readonly formTargets: readonly string[]
  /** Whether the page runs scripts of this site, which may ask this site. Default: false. */
  readonly runsScripts?: boolean
}

/**
 * Headers of a page: no script unless it is told so, nothing from elsewhere, no framing, nothing kept by the browser.
 */
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
