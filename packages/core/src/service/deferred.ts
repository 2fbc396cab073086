import type { Accounts } from "../account/accounts.js"
import type { Limits } from "../limits/limits.js"

/** Limits whose code is loaded with the first request that is counted. */
export function deferredLimits(load: () => Promise<Limits>): Limits {
  return {
    admit: async (action, visit) => (await load()).admit(action, visit),
    tryPassword: async (attempt, visit) => (await load()).tryPassword(attempt, visit),
    tryToken: async (attempt, visit) => (await load()).tryToken(attempt, visit),
    allowMail: async (address, visit) => (await load()).allowMail(address, visit),
  }
}

/** Accounts whose code is loaded with the first sign-in. */
export function deferredAccounts(load: () => Promise<Accounts>): Accounts {
  return {
    present: async (proof) => (await load()).present(proof),
    recognise: async (presented, signedIn, events) => (await load()).recognise(presented, signedIn, events),
  }
}
