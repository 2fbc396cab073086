import { Auth } from "@auth/core"
import type { Auth as OurAuth } from "@latchkey/core"
import type { Peer } from "../app.ts"
import { openContractApp } from "./contract.ts"

export const authCore: Peer = {
  id: "auth-core",
  packageName: "@auth/core",
  lacks: {
    totp: "has no second factors",
    refresh: "leaves refreshing to the app",
  },
  // The types of the two projects differ in names and details; the contract is the same.
  open: (options) => openContractApp(Auth as unknown as typeof OurAuth, options),
}
