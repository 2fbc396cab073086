// An Express server with one target.
import type { AddressInfo } from "node:net"
import express, { type Express, type RequestHandler } from "express"
import { secret, sessionCookieName, toClaims, user } from "../fixtures/host.ts"
import "../http/report-cpu.ts"
import type { ContractLibrary } from "../targets/contract.ts"

export type ExpressTargetId = "latchkey" | "auth-express" | "express-and-limit" | "express-alone"

/** Sent once the server listens. */
export interface Listening {
  readonly port: number
  /** The cookie of a signed-in user. */
  readonly cookie: string
}

/** Mounts a target's session at `/auth/session` and returns the cookie of a signed-in user. */
type Mount = (app: Express) => Promise<string>

/** Loaded on demand, so that the process of one target does not load another. */
const targets: Readonly<Record<ExpressTargetId, Mount>> = {
  async latchkey(app) {
    const { ExpressAuth } = await import("@latchkey/express")
    const { encode } = await import("@latchkey/core/jwt")
    return mountContract(app, { ExpressAuth, encode })
  },
  async "auth-express"(app) {
    const { ExpressAuth } = await import("@auth/express")
    const { encode } = await import("@auth/core/jwt")
    // The two projects' types differ in names and details; the contract is the same.
    return mountContract(app, { ExpressAuth, encode } as unknown as ExpressLibrary)
  },
  /** Decrypts, encrypts again, and writes the cookie and body directly to Node's response. */
  async "express-and-limit"(app) {
    const { jsonHeaders } = await import("../targets/limit/primitives.ts")
    const { renewSession, sealClaims } = await import("../targets/limit/session.ts")
    app.use("/auth/session", (request, response) => {
      const renewed = renewSession(request.headers.cookie ?? null)
      response.writeHead(200, { ...jsonHeaders, "set-cookie": renewed.cookie }).end(renewed.body)
    })
    return `${sessionCookieName}=${sealClaims(toClaims(user))}`
  },
  /** Always sends the same response: the cost of Express itself. */
  async "express-alone"(app) {
    const { jsonHeaders } = await import("../targets/limit/primitives.ts")
    const { renewSession, sealClaims } = await import("../targets/limit/session.ts")
    const cookie = `${sessionCookieName}=${sealClaims(toClaims(user))}`
    const renewed = renewSession(cookie)
    app.use("/auth/session", (_request, response) => {
      response.writeHead(200, { ...jsonHeaders, "set-cookie": renewed.cookie }).end(renewed.body)
    })
    return cookie
  },
}

interface ExpressLibrary extends Pick<ContractLibrary, "encode"> {
  ExpressAuth(config: { providers: []; secret: string; trustHost: true }): RequestHandler
}

async function mountContract(app: Express, { ExpressAuth, encode }: ExpressLibrary): Promise<string> {
  app.use("/auth", ExpressAuth({ providers: [], secret, trustHost: true }))
  return `${sessionCookieName}=${await encode({ token: toClaims(user), secret, salt: sessionCookieName })}`
}

// The runner passes a key of the table.
const id = process.argv[2] as ExpressTargetId
const app = express()
app.set("trust proxy", true)
app.disable("x-powered-by")
const cookie = await targets[id](app)
const server = app.listen(0, "127.0.0.1", () => {
  // A TCP server's address is never a string.
  const listening: Listening = { port: (server.address() as AddressInfo).port, cookie }
  process.send?.(listening)
})
