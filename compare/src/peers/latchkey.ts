import { Auth } from "@latchkey/core"
import { trackSessions } from "@latchkey/core/sessions"
import { origin, type Peer, proxyAddress } from "../app.ts"
import { openContractApp } from "./contract.ts"

export const latchkey: Peer = {
  id: "latchkey",
  packageName: "@latchkey/core",
  lacks: {
    totp: "has second factors, which are not compared yet",
    refresh: "refreshes tokens once, which is not compared yet",
  },
  open: (options) =>
    openContractApp((request, config) => Auth(request, config, { clientAddress: proxyAddress }), options, {
      allowedOrigins: [origin],
      trustedProxies: [proxyAddress],
      // Asks the store at each check, so that an ended session ends at once.
      session: { track: trackSessions({ checkEvery: 0 }) },
    }),
}
