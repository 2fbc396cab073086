import { encode } from "@auth/core/jwt"
import { ExpressAuth } from "@auth/express"
import { contractHost } from "./contract-host.ts"
import type { ExpressHost } from "./host.ts"

// The two projects' types differ in names and details; what they describe is one contract.
const library = { ExpressAuth, encode } as unknown as Parameters<typeof contractHost>[0]

export const authExpressHost: ExpressHost = contractHost(library)
