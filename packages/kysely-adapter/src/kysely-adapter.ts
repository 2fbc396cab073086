import { adapterMethods, andThen } from "@latchkey/adapter-kit"
import type { Adapter, AdapterSession, AdapterUser, Awaitable } from "@latchkey/core/adapters"
import { type DatabaseKind, resolveDialect } from "./sql/dialect.js"
import { ownedAndOwnerLookup, ownerLookup } from "./sql/owner-lookup.js"
import { type AnyKysely, kyselyRunner, overAnyTables } from "./sql/runner.js"
import { type SqlAccess, tableRows } from "./sql/table-rows.js"
import { resolveSchema } from "./tables/schema.js"
import type { SchemaOptions } from "./tables/schema-options.js"
import { getColumn, type Table } from "./tables/table.js"
import type { TypedMethods } from "./typed-methods.js"

/** How your tables differ from the default ones, and which database they are in. */
export interface KyselyAdapterOptions extends SchemaOptions {
  /** Default: detected from the instance's dialect. Required if that is not one of Kysely's own or derived from one. */
  readonly database?: DatabaseKind
}

type MethodsWithOwnTable = "consumeOnce" | "markEmailVerified" | "isEmailVerified"

/**
 * The methods of the contract, and housekeeping. A method whose table you left out is absent. The records contain the
 * extra fields that the options declare.
 */
export interface SqlAdapter<O extends SchemaOptions = SchemaOptions>
  extends TypedMethods<O>,
    Pick<Adapter, MethodsWithOwnTable> {
  /**
   * Deletes the sessions, verification tokens and consumed ids that expired before an instant (default: now), and
   * returns how many there were. The service rejects expired rows anyway; this only frees their space.
   */
  removeExpired(at?: Date): Awaitable<number>
}

/**
 * Stores records in the tables of your own Kysely instance. The tables must exist: see `migrate`.
 *
 * Each method is one statement (two if the database cannot return the rows it wrote), so uniqueness and single use hold
 * across any number of processes. If you pass a transaction, everything happens within it.
 * @throws TypeError when an option is invalid or the dialect is not recognized
 */
export function KyselyAdapter<const O extends KyselyAdapterOptions = KyselyAdapterOptions>(
  db: AnyKysely,
  options?: O,
): SqlAdapter<O> {
  return sqlAdapter({
    schema: resolveSchema(options ?? {}),
    dialect: resolveDialect(db, options?.database),
    db: overAnyTables(db),
    runner: kyselyRunner(db),
  }) as SqlAdapter<O> // as: the records contain the extra columns of the schema
}

/** The adapter for a database, however its statements are run. */
export function sqlAdapter(access: SqlAccess): SqlAdapter {
  const { schema } = access
  const rowsOf = <T>(table: Table) => tableRows<T>(access, table)
  const findSession = ownedAndOwnerLookup<AdapterSession, AdapterUser>(access, schema.session)
  return adapterMethods({
    users: rowsOf(schema.user),
    accounts: rowsOf(schema.account),
    sessions: rowsOf(schema.session),
    verificationTokens: rowsOf(schema.verificationToken),
    authenticators: rowsOf(schema.authenticator),
    consumedIds: schema.spent && rowsOf(schema.spent),
    verifiedEmails: schema.provenEmail && rowsOf(schema.provenEmail),
    newUserId: (proposed) => newUserId(access, proposed),
    findAccountOwner: ownerLookup<AdapterUser>(access, schema.account),
    findSessionAndUser: (key) =>
      andThen(findSession(key), (found) => found && { session: found.owned, user: found.owner }),
  }) as SqlAdapter // as: there is always a table of authenticators, with all its columns
}

/** Undefined if the database generates the id and can return it. */
function newUserId({ schema, dialect }: SqlAccess, proposed: string | undefined): string | undefined {
  const { kind } = getColumn(schema.user, "id")
  if (kind === "key") return proposed ?? crypto.randomUUID()
  return kind === "integerKey" || dialect.returnsRows ? undefined : crypto.randomUUID()
}
