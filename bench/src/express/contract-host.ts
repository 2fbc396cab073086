import type { Express, RequestHandler } from "express"
import { secret, sessionCookieName, toClaims } from "../fixtures/host.ts"
import { person } from "../fixtures/person.ts"
import type { ContractLibrary } from "../targets/contract/library.ts"
import type { ExpressHost } from "./host.ts"

interface ExpressLibrary extends Pick<ContractLibrary, "encode"> {
  ExpressAuth(config: { providers: []; secret: string; trustHost: true }): RequestHandler
}

/** Mounts a library of the contract at its base path. */
export function contractHost({ ExpressAuth, encode }: ExpressLibrary): ExpressHost {
  return {
    async mount(app: Express) {
      app.use("/auth", ExpressAuth({ providers: [], secret, trustHost: true }))
      return `${sessionCookieName}=${await encode({ token: toClaims(person), secret, salt: sessionCookieName })}`
    },
  }
}
