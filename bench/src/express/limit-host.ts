import { sessionCookieName, toClaims } from "../fixtures/host.ts"
import { person } from "../fixtures/person.ts"
import { jsonHeaders } from "../targets/limit/http.ts"
import { renewSession, sealClaims } from "../targets/limit/session.ts"
import type { ExpressHost } from "./host.ts"

const cookie = `${sessionCookieName}=${sealClaims(toClaims(person))}`

/** Decrypts, encrypts anew, and writes cookie and body straight to Node's response. */
export const limitHost: ExpressHost = {
  async mount(app) {
    app.use("/auth/session", (request, response) => {
      const renewed = renewSession(request.headers.cookie ?? null)
      response.writeHead(200, { ...jsonHeaders, "set-cookie": renewed.cookie }).end(renewed.body)
    })
    return cookie
  },
}

/** Always the same answer: what Express itself costs. */
export const aloneHost: ExpressHost = {
  async mount(app) {
    const { body, cookie: setCookie } = renewSession(cookie)
    app.use("/auth/session", (_request, response) => {
      response.writeHead(200, { ...jsonHeaders, "set-cookie": setCookie }).end(body)
    })
    return cookie
  },
}
