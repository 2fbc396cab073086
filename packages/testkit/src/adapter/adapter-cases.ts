import { accountCases } from "./account-cases.js"
import type { AdapterCase } from "./adapter-case.js"
import { authenticatorCases } from "./authenticator-cases.js"
import { emailCases } from "./email-cases.js"
import { exactnessCases } from "./exactness-cases.js"
import { injectionCases } from "./injection-cases.js"
import { isolationCases } from "./isolation-cases.js"
import { parallelCases } from "./parallel-cases.js"
import { sessionCases } from "./session-cases.js"
import { tokenCases } from "./token-cases.js"
import { userCases } from "./user-cases.js"

/** All that an adapter promises, by subject. */
export const adapterCases: Readonly<Record<string, readonly AdapterCase[]>> = {
  users: userCases,
  accounts: accountCases,
  sessions: sessionCases,
  "verification tokens": tokenCases,
  "vouched addresses": emailCases,
  authenticators: authenticatorCases,
  "exact values": exactnessCases,
  "hostile values": injectionCases,
  "records outside the store": isolationCases,
  "parallel callers": parallelCases,
}
