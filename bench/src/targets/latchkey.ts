import { Auth, customFetch } from "@latchkey/core"
import { decode, encode, getToken } from "@latchkey/core/jwt"
import { contractTarget } from "./contract/subjects.ts"
import type { Target } from "./target.ts"

export const latchkey: Target = contractTarget({ Auth, encode, decode, getToken, customFetch })
