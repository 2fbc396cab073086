import type { RequestHandler } from "express"

/**
 * Answers only requests for the server's own name. A page elsewhere that lets its name point to this machine (DNS
 * rebinding) is refused; who opened the address by number is sent to the name, which passkeys and cookies need.
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
