import type { BudgetName } from "../config/rate-limit.js"
import type { CredentialsConfig } from "../contract/credentials-provider.js"
import type { RateLimitOptions } from "../contract/rate-limit.js"
import type { Visit } from "../web/visit.js"
import { findAccountNames, toMailboxName } from "./account-names.js"
import { type CountedAttempt, countAttempt } from "./attempts.js"
import { allowMail, type MailAllowance, type MailNeeds } from "./mail-allowance.js"

/** The budgets that each request of an action is counted on. */
export type ActionBudget = Extract<BudgetName, "signIn" | "callback" | "webAuthnOptions" | "sessionUpdate" | "signOut">

/** A form of a credentials provider. */
export interface PasswordAttempt {
  readonly credentials: Readonly<Record<string, unknown>>
  readonly provider: Pick<CredentialsConfig, "id" | "credentials">
}

/** The token of a mailed link. */
export interface TokenAttempt {
  readonly address: string | undefined
  /** Whether the host's own code made it, so that it may be short. */
  readonly isGuessable: boolean
}

/** How much may be asked of the service, and how often somebody may be wrong. */
export interface Limits {
  /** @throws TooManyRequests when the visitor's network has asked too often */
  admit(action: ActionBudget, visit: Visit): Promise<void>
  /** @throws TooManyRequests before a password is looked at, whether it is right or wrong */
  tryPassword(attempt: PasswordAttempt, visit: Visit): Promise<CountedAttempt>
  /** @throws TooManyRequests before a token is looked at, whether it is right or wrong */
  tryToken(attempt: TokenAttempt, visit: Visit): Promise<CountedAttempt>
  /** Null: no mail may go to this address now, and the visitor is not told. */
  allowMail(address: string, visit: Visit): Promise<MailAllowance | null>
}

/** Nothing is counted. */
export const unlimited: Limits = {
  admit: async () => {},
  tryPassword: async () => ({ succeed: async () => {} }),
  tryToken: async () => ({ succeed: async () => {} }),
  allowMail: async () => ({ giveBack: async () => {} }),
}

export interface LimitsNeeds extends MailNeeds {
  readonly accountOf: RateLimitOptions["accountOf"]
}

export function createLimits(needs: LimitsNeeds): Limits {
  const { counters, findNetwork, accountOf } = needs
  return {
    admit: (action, visit) => counters.admit(action, { network: findNetwork(visit) }),
    tryPassword({ credentials, provider }, visit) {
      const names = findAccountNames(credentials, provider, accountOf)
      return countAttempt({ names, visit, isGuessable: true }, needs)
    },
    tryToken({ address, isGuessable }, visit) {
      const names = address === undefined ? [] : [toMailboxName(address)]
      return countAttempt({ names, visit, isGuessable }, needs)
    },
    allowMail: (address, visit) => allowMail(address, visit, needs),
  }
}
