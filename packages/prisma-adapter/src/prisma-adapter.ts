import {
  type AuthenticatorMethods,
  adapterMethods,
  callTransaction,
  type FeatureMethods,
  type Housekeeping,
  type OptionalMethods,
  type OptionalRecord,
  type Promised,
  type RecordMethods,
  type RecordName,
  type RecordStores,
  readTimeout,
} from "@latchkey/adapter-kit"
import type {
  Adapter,
  AdapterAccount,
  AdapterAccountChange,
  AdapterAuthenticator,
  AdapterFactor,
  AdapterSession,
  AdapterSessionDetail,
  AdapterUser,
  Awaitable,
  StoreDefect,
  StoredPassword,
  TemporaryRecord,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"
import { hasFields } from "./model-fields.js"
import { ModelRecords, type PrismaModel } from "./model-records.js"
import { createRunner, isMissingTable } from "./prisma-failure.js"

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
  /** Values and leases. Without this model there is no `keepTemporary`, `takeTemporary`, `takeLease` and `dropLease`. */
  readonly temporary?: PrismaModel
  /**
   * The details of sessions, which the database deletes with their session and their user. Without this model there is no
   * `createSessionDetail`, `seeSession`, `listSessionsByUserId` and `endSessions`.
   */
  readonly sessionDetail?: PrismaModel
  /** The passwords. Without this model there is no `getPassword`, `setPassword` and `deletePassword`. */
  readonly password?: PrismaModel
  /** The second factors. Without this model there is no `listFactors`, `createFactor`, `changeFactor` and `deleteFactor`. */
  readonly factor?: PrismaModel
  /**
   * Changes of accounts that can be undone or are planned. Without this model there is no `createAccountChange`,
   * `getAccountChange`, `listAccountChanges` and `deleteAccountChange`.
   */
  readonly accountChange?: PrismaModel
}

/** A client that can begin an interactive transaction. */
interface InteractiveClient {
  $transaction<T>(work: (client: PrismaClientLike) => Promise<T>, options?: object): Promise<T>
}

/** The options of `PrismaAdapter`. */
export interface PrismaAdapterOptions {
  /** How long a query may take before the call fails, in milliseconds. Default: 10,000. */
  readonly timeoutMilliseconds?: number | undefined
}

/** The methods of the contract, and housekeeping. Methods that need a model or field you leave out are absent. */
export interface PrismaAdapter
  extends Promised<RecordMethods & Housekeeping>,
    Partial<Promised<AuthenticatorMethods & OptionalMethods & FeatureMethods>>,
    Pick<Adapter, "transaction"> {
  /**
   * Lists what is wrong with the tables that exist, for `latchkey doctor`: unique indexes that are missing, columns too short for
   * tokens, columns that take different texts for equal, a clock of the database that differs. Writes nothing.
   */
  findStoreDefects(): Promise<readonly StoreDefect[]>
}

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
  const timeoutMilliseconds = readTimeout(options)
  const run = createRunner({ timeoutMilliseconds, isTransaction: !("$transaction" in prisma) })
  const findStoreDefects = async () => (await import("./store-defects.js")).findStoreDefects(prisma, run)
  return { ...adapterMethods(prismaStores(prisma, options)), findStoreDefects } as PrismaAdapter // as: every method of `ModelRecords` is asynchronous
}

function prismaStores(prisma: PrismaClientLike, options: PrismaAdapterOptions): RecordStores {
  const timeoutMilliseconds = readTimeout(options)
  const isTransaction = !("$transaction" in prisma)
  const run = createRunner({ timeoutMilliseconds, isTransaction })
  // Generated clients have it, but do not declare it.
  const provider: unknown = Reflect.get(prisma, "_activeProvider")
  const isSqlite = provider === "sqlite"
  const isPostgres = provider === "postgresql" || provider === "cockroachdb"
  const findRecords = <T>(name: RecordName) => {
    const model = prisma[name]
    return model === undefined ? null : new ModelRecords<T>(name, model, { run, isSqlite, isPostgres })
  }
  /** Null for a model of the host's own that has such a name by chance. */
  const findFeature = <T>(name: OptionalRecord) => {
    const model = prisma[name]
    return model && hasFields(name, model.fields) ? findRecords<T>(name) : null
  }
  const getRecords = <T>(name: RecordName) => findRecords<T>(name) ?? missingModel(name)
  const users = getRecords<AdapterUser>("user")
  const accounts = getRecords<AdapterAccount>("account")
  const sessions = getRecords<AdapterSession>("session")
  const stores: RecordStores = {
    users,
    accounts,
    sessions,
    verificationTokens: getRecords<VerificationToken>("verificationToken"),
    authenticators: findRecords<AdapterAuthenticator>("authenticator"),
    consumedIds: findRecords<object>("spent"),
    verifiedEmails: findRecords<VerifiedEmail>("provenEmail"),
    temporaries: findFeature<TemporaryRecord>("temporary"),
    sessionDetails: findFeature<AdapterSessionDetail>("sessionDetail"),
    passwords: findFeature<StoredPassword>("password"),
    factors: findFeature<AdapterFactor>("factor"),
    accountChanges: findFeature<AdapterAccountChange>("accountChange"),
    transact: (work) => transact(work),
    // After an error, PostgreSQL ignores the rest of a transaction: only the host can go on.
    isMissingTable: (error) => !isTransaction && isMissingTable(error),
    newUserId: () => undefined, // The schema's default generates it.
    async findAccountOwner(key) {
      const found = await accounts.findWithOwner(key)
      return found && users.read(found.owner)
    },
    async findSessionAndUser(key) {
      const found = await sessions.findWithOwner(key)
      return found && { session: found.record, user: users.read(found.owner) }
    },
  }
  async function transact<T>(work: (stores: RecordStores) => Awaitable<T>): Promise<T> {
    if (isTransaction) return await work(stores)
    const client = prisma as unknown as InteractiveClient // as: it has the method, whose types depend on the generator
    const limits = { maxWait: timeoutMilliseconds, timeout: timeoutMilliseconds }
    // By default, MySQL goes on to show what a transaction saw before it waited for a lock.
    const begin = provider === "mysql" ? { ...limits, isolationLevel: "ReadCommitted" } : limits
    return await callTransaction<PrismaClientLike, T>({
      run: (call) => run({ name: "$transaction", hasField: () => false }, call),
      begin: (begun) => client.$transaction(begun, begin),
      work: (within) => work(prismaStores(within, options)),
    })
  }
  return stores
}

function missingModel(name: RecordName): never {
  throw new TypeError(`prisma.${name}: the client has no such model`)
}
