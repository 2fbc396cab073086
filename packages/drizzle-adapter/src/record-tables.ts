import {
  type FieldCodec,
  type FieldKind,
  isStorableDate,
  matchFields,
  type OptionalRecord,
  parseIntegerKey,
  type RecordField,
  RecordFields,
  type RecordName,
  recordModels,
  toKeyText,
  toText,
} from "@latchkey/adapter-kit"
import type { AdapterAccountChange, AdapterFactor, AdapterSessionDetail } from "@latchkey/core/adapters"
import { type Column, getTableColumns, is, isSQLWrapper, Table } from "drizzle-orm"
import type { Dialect } from "./dialect.js"

/** A Drizzle table with at least these columns. Additional columns are written and read with their records. */
type TableWith<Field extends string> = Table & Readonly<Record<Field, Column>>

type OAuthField = "refresh_token" | "access_token" | "expires_at" | "token_type" | "scope" | "id_token"
type CredentialField = "credentialID" | "credentialPublicKey" | "credentialDeviceType" | "credentialBackedUp"

type DetailField = keyof AdapterSessionDetail

/**
 * Your own tables. For the tables of the contract that you leave out, the default names and columns apply. You can pass a
 * whole module that exports them among other things.
 */
export interface DrizzleTables {
  readonly usersTable?: TableWith<"id" | "name" | "email" | "emailVerified" | "image"> | undefined
  readonly accountsTable?:
    | TableWith<"userId" | "type" | "provider" | "providerAccountId" | "session_state" | OAuthField>
    | undefined
  readonly sessionsTable?: TableWith<"sessionToken" | "userId" | "expires"> | undefined
  readonly verificationTokensTable?: TableWith<"identifier" | "token" | "expires"> | undefined
  /** The adapter has `updateAuthenticator` only if there are columns for `name` and `lastUsedAt`. */
  readonly authenticatorsTable?:
    | TableWith<CredentialField | "userId" | "providerAccountId" | "counter" | "transports">
    | undefined
  /** The consumed ids. Without this table there is no `consumeOnce`, and each process only remembers its own. */
  readonly spentTable?: TableWith<"id" | "expires"> | undefined
  /**
   * The verified emails. Without this table there is neither `markEmailVerified` nor `isEmailVerified`, and the service
   * cannot recognize accounts with an unverified email.
   */
  readonly provenEmailsTable?: TableWith<"userId" | "email" | "provider"> | undefined
  /** Values and leases. Without this table there is no `keepTemporary`, `takeTemporary`, `takeLease` and `dropLease`. */
  readonly temporariesTable?: TableWith<"id" | "value" | "expires"> | undefined
  /**
   * The details of sessions, which the database deletes with their session and their user. Without this table there is no
   * `createSessionDetail`, `seeSession`, `listSessionsByUserId` and `endSessions`.
   */
  readonly sessionDetailsTable?: TableWith<DetailField> | undefined
  /** The passwords. Without this table there is no `getPassword`, `setPassword` and `deletePassword`. */
  readonly passwordsTable?: TableWith<"userId" | "hash" | "changedAt"> | undefined
  /** The second factors. Without this table there is no `listFactors`, `createFactor`, `changeFactor` and `deleteFactor`. */
  readonly factorsTable?: TableWith<keyof AdapterFactor> | undefined
  /**
   * Changes of accounts that can be undone or are planned. Without this table there is no `createAccountChange`,
   * `getAccountChange`, `listAccountChanges` and `deleteAccountChange`.
   */
  readonly accountChangesTable?: TableWith<keyof AdapterAccountChange> | undefined
}

/** A Drizzle table and the fields of its records. */
export interface RecordTable {
  readonly table: Table
  readonly fields: RecordFields<Column>
}

/** The tables by record; null for an optional table that the host does not have. */
export type RecordTables = Readonly<Record<Exclude<RecordName, OptionalRecord>, RecordTable>> &
  Readonly<Record<OptionalRecord, RecordTable | null>>

const optionNames = {
  user: "usersTable",
  account: "accountsTable",
  session: "sessionsTable",
  verificationToken: "verificationTokensTable",
  authenticator: "authenticatorsTable",
  spent: "spentTable",
  provenEmail: "provenEmailsTable",
  temporary: "temporariesTable",
  sessionDetail: "sessionDetailsTable",
  password: "passwordsTable",
  factor: "factorsTable",
  accountChange: "accountChangesTable",
} as const satisfies Record<RecordName, keyof DrizzleTables>

/**
 * Resolves the host's tables, and the default ones for those of the contract that are left out.
 * @throws TypeError with the option's name when it is not a table, or lacks a column or has one of the wrong kind
 */
export function resolveTables(
  tables: DrizzleTables,
  defaults: Required<DrizzleTables>,
  dialect: Dialect,
): RecordTables {
  const codec = createCodec(dialect)
  const resolve = (name: RecordName) => {
    const option = optionNames[name]
    return recordTable(name, tables[option] ?? defaults[option], codec)
  }
  const resolveOptional = (name: OptionalRecord) => (tables[optionNames[name]] === undefined ? null : resolve(name))
  return {
    user: resolve("user"),
    account: resolve("account"),
    session: resolve("session"),
    verificationToken: resolve("verificationToken"),
    authenticator: resolve("authenticator"),
    spent: resolveOptional("spent"),
    provenEmail: resolveOptional("provenEmail"),
    temporary: resolveOptional("temporary"),
    sessionDetail: resolveOptional("sessionDetail"),
    password: resolveOptional("password"),
    factor: resolveOptional("factor"),
    accountChange: resolveOptional("accountChange"),
  }
}

function recordTable(name: RecordName, table: unknown, codec: FieldCodec<Column>): RecordTable {
  const option = optionNames[name]
  const model = recordModels[name]
  if (!is(table, Table)) throw new TypeError(`${option} must be a Drizzle table`)
  const columns = Object.entries(getTableColumns(table))
  const fields = matchFields(
    model,
    columns,
    (field) => new TypeError(`${option}.${field}: the table has no such column`),
  )
  for (const field of fields) assertKind(option, field)
  return { table, fields: new RecordFields(model.key, fields, codec) }
}

/** The data types of Drizzle columns that can store each kind of field. */
const fitting: Readonly<Record<FieldKind, readonly string[]>> = {
  key: ["string", "custom", "number", "bigint"],
  text: ["string", "custom"],
  number: ["number", "bigint", "custom"],
  boolean: ["boolean", "custom"],
  date: ["date", "custom"],
}

function assertKind(option: string, { field, kind, column }: RecordField<Column>): void {
  if (kind === "own" || fitting[kind].includes(column.dataType)) return
  const mode = kind === "date" ? `, in Drizzle's mode "date" or "timestamp_ms"` : ""
  throw new TypeError(`${option}.${field} must be a column for a ${kind}${mode}; it is one for ${column.dataType}`)
}

/** Rejects what a column cannot store, what Drizzle would run as SQL, and what a driver would not bind as one value. */
function createCodec(dialect: Dialect): FieldCodec<Column> {
  return {
    write(value, { kind, column }) {
      const { dataType } = column
      const written = kind === "own" ? toOwnValue(value, dataType) : writers[kind](value, dataType)
      return typeof written === "string" && !dialect.holds(written, column) ? undefined : written
    },
    describe: ({ kind }) => `a ${kind === "own" ? "value" : kind} that its column can hold`,
  }
}

type Writer = (value: unknown, dataType: string) => unknown

const writers: Readonly<Record<FieldKind, Writer>> = {
  key: toKey,
  text: toText,
  number: (value, dataType) => (Number.isFinite(value) ? toNumber(Number(value), dataType) : undefined),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  date: (value) => (isStorableDate(value) ? new Date(value) : undefined),
}

/** The host's own columns, by data type, where a driver would convert other values. */
const ownWriters: Readonly<Record<string, Writer>> = {
  string: toText,
  number: writers.number,
  bigint: (value) => (typeof value === "bigint" ? value : undefined),
  boolean: writers.boolean,
  date: writers.date,
}

function toOwnValue(value: unknown, dataType: string): unknown {
  const writer = ownWriters[dataType]
  if (writer !== undefined) return writer(value, dataType)
  return isSQLWrapper(value) ? undefined : value
}

function toKey(value: unknown, dataType: string): string | number | bigint | undefined {
  const text = toKeyText(value)
  if (text === undefined || (dataType !== "number" && dataType !== "bigint")) return text
  const integer = parseIntegerKey(text)
  if (integer === undefined || dataType === "bigint") return integer
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : undefined
}

function toNumber(value: number, dataType: string): number | bigint | undefined {
  if (dataType !== "bigint") return value
  return Number.isInteger(value) ? BigInt(value) : undefined
}
