import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"
import {
  accountMethods,
  authenticatorMethods,
  changingAuthenticators,
  emailMethods,
  type OptionalMethods,
  type RecordMethods,
  sessionMethods,
  spendingMethods,
  tokenMethods,
  userMethods,
} from "./adapter-methods.js"
import { createRunner, type RunQuery } from "./failure/run-query.js"
import type { PrismaClientLike } from "./prisma-client.js"
import type { ModelName } from "./records/contract-fields.js"
import { ModelRecords } from "./records/model-records.js"

export interface PrismaAdapterOptions {
  /** How long a query may take before the call ends in an error. Default: 10,000. */
  readonly timeoutMilliseconds?: number
}

/** The operations of the contract, and housekeeping. */
export interface PrismaAdapter extends RecordMethods, OptionalMethods {
  /**
   * Removes sessions, verification tokens and what was spent that had expired at an instant (default: now), and says
   * how many they were. Expired rows are refused without it; it only gives their space back. Call it now and then.
   */
  removeExpired(at?: Date): Promise<number>
}

const defaultTimeoutMilliseconds = 10_000

/**
 * Keeps the records in the models of a host's own Prisma schema, which have the names and fields that the ecosystem's
 * adapter for Prisma knows; see the README for one to paste.
 *
 * Uniqueness and single use rest on constraints and on single statements, so they hold between any number of processes.
 * The client may be that of an interactive transaction; then all happens within it.
 * @throws TypeError when the client lacks a model or a field
 * @example const config = { adapter: PrismaAdapter(new PrismaClient({ adapter })), providers: [...] }
 */
export function PrismaAdapter(prisma: PrismaClientLike, options: PrismaAdapterOptions = {}): PrismaAdapter {
  const { timeoutMilliseconds = defaultTimeoutMilliseconds } = options
  const run = createRunner({ timeoutMilliseconds, isTransaction: !("$transaction" in prisma) })
  const users = recordsOf<AdapterUser>(prisma, "user", run)
  const accounts = recordsOf<AdapterAccount>(prisma, "account", run)
  const sessions = recordsOf<AdapterSession>(prisma, "session", run)
  const tokens = recordsOf<VerificationToken>(prisma, "verificationToken", run)
  const spent = prisma.spent && recordsOf<object>(prisma, "spent", run)
  return {
    ...userMethods(users, accounts),
    ...accountMethods(accounts),
    ...sessionMethods(sessions, users),
    ...tokenMethods(tokens),
    ...credentialMethods(prisma, run),
    ...(spent && spendingMethods(spent)),
    ...(prisma.provenEmail && emailMethods(recordsOf<VerifiedEmail>(prisma, "provenEmail", run))),
    async removeExpired(at = new Date()) {
      let removed = 0
      for (const records of [sessions, tokens, spent]) removed += (await records?.removeBefore("expires", at)) ?? 0
      return removed
    },
  }
}

function credentialMethods(prisma: PrismaClientLike, run: RunQuery): OptionalMethods {
  if (prisma.authenticator === undefined) return {}
  const authenticators = recordsOf<AdapterAuthenticator>(prisma, "authenticator", run)
  const isChangeable = authenticators.has("name") && authenticators.has("lastUsedAt")
  return {
    ...authenticatorMethods(authenticators),
    ...(isChangeable && changingAuthenticators(authenticators)),
  }
}

function recordsOf<T>(prisma: PrismaClientLike, name: ModelName, run: RunQuery): ModelRecords<T> {
  const model = prisma[name]
  if (model === undefined) throw new TypeError(`prisma.${name}: the client has no such model`)
  return new ModelRecords<T>(name, model, run)
}
