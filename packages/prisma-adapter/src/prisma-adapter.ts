import {
  type AuthenticatorMethods,
  adapterMethods,
  defaultTimeoutMilliseconds,
  type Housekeeping,
  type OptionalMethods,
  type Promised,
  type RecordMethods,
  type RecordName,
} from "@latchkey/adapter-kit"
import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"
import { ModelRecords, type PrismaModel } from "./model-records.js"
import { createRunner } from "./prisma-failure.js"

/**
 * A Prisma client from any generator, extended or not, or the client of an interactive transaction. Methods that need a
 * missing model are left out of the adapter.
 */
export interface PrismaClientLike {
  readonly user: PrismaModel
  readonly account: PrismaModel
  readonly session: PrismaModel
  readonly verificationToken: PrismaModel
  readonly authenticator?: PrismaModel
  /** The consumed ids. Without this model there is no `consumeOnce`, and each process only remembers its own. */
  readonly spent?: PrismaModel
  /**
   * The verified emails. Without this model there is neither `markEmailVerified` nor `isEmailVerified`, and the service
   * cannot recognize accounts with an unverified email.
   */
  readonly provenEmail?: PrismaModel
}

/** The options of `PrismaAdapter`. */
export interface PrismaAdapterOptions {
  /** How long a query may take before the call fails, in milliseconds. Default: 10,000. */
  readonly timeoutMilliseconds?: number
}

/** The methods of the contract, and housekeeping. Methods that need a model or field you leave out are absent. */
export interface PrismaAdapter
  extends Promised<RecordMethods & Housekeeping>,
    Partial<Promised<AuthenticatorMethods & OptionalMethods>> {}

/** The relation of accounts and sessions to their user. */
const owner = "user"

/**
 * Stores records in the models of your own Prisma schema, which need the names and fields of the ecosystem's Prisma
 * adapter; the README has a schema to copy.
 *
 * Uniqueness and single use depend on constraints and single statements, so they hold across any number of processes.
 * If you pass the client of an interactive transaction, everything happens within it.
 * @throws TypeError when the client lacks a model or a field
 * @example const config = { adapter: PrismaAdapter(new PrismaClient({ adapter })), providers: [...] }
 */
export function PrismaAdapter(prisma: PrismaClientLike, options: PrismaAdapterOptions = {}): PrismaAdapter {
  const { timeoutMilliseconds = defaultTimeoutMilliseconds } = options
  const run = createRunner({ timeoutMilliseconds, isTransaction: !("$transaction" in prisma) })
  const findRecords = <T>(name: RecordName) => {
    const model = prisma[name]
    return model === undefined ? null : new ModelRecords<T>(name, model, run)
  }
  const getRecords = <T>(name: RecordName) => findRecords<T>(name) ?? missingModel(name)
  const users = getRecords<AdapterUser>("user")
  const accounts = getRecords<AdapterAccount>("account")
  const sessions = getRecords<AdapterSession>("session")
  return adapterMethods({
    users,
    accounts,
    sessions,
    verificationTokens: getRecords<VerificationToken>("verificationToken"),
    authenticators: findRecords<AdapterAuthenticator>("authenticator"),
    consumedIds: findRecords<object>("spent"),
    verifiedEmails: findRecords<VerifiedEmail>("provenEmail"),
    newUserId: () => undefined, // The schema's default generates it.
    async findAccountOwner(key) {
      const found = await accounts.findWith(key, owner)
      return found && users.read(found.related)
    },
    async findSessionAndUser(key) {
      const found = await sessions.findWith(key, owner)
      return found && { session: found.record, user: users.read(found.related) }
    },
  }) as PrismaAdapter // as: every method of `ModelRecords` is asynchronous
}

function missingModel(name: RecordName): never {
  throw new TypeError(`prisma.${name}: the client has no such model`)
}
