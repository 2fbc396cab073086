import { Auth, customFetch } from "@auth/core"
import { decode, encode, getToken } from "@auth/core/jwt"
import type { ContractLibrary } from "./contract/library.ts"
import { contractTarget } from "./contract/subjects.ts"
import type { Target } from "./target.ts"

// The two projects' types differ in names and details; what they describe is one contract.
const library = { Auth, encode, decode, getToken, customFetch } as unknown as ContractLibrary

export const authCore: Target = contractTarget(library)
