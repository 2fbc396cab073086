import { encode } from "@latchkey/core/jwt"
import { ExpressAuth } from "@latchkey/express"
import { contractHost } from "./contract-host.ts"
import type { ExpressHost } from "./host.ts"

export const latchkeyHost: ExpressHost = contractHost({ ExpressAuth, encode })
