import { Auth } from "@latchkey/core"
import { origin, type Peer, proxyAddress } from "../app.ts"
import { openContractApp } from "./contract.ts"

export const latchkey: Peer = {
  id: "latchkey",
  packageName: "@latchkey/core",
  lacks: {
    totp: "has no second factors yet",
    refresh: "leaves refreshing to the app",
  },
  open: (options) =>
    openContractApp((request, config) => Auth(request, config, { clientAddress: proxyAddress }), options, {
      allowedOrigins: [origin],
      trustedProxies: [proxyAddress],
    }),
}
