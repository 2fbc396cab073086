import { type OptionalRecord, type RecordName, recordModels } from "@latchkey/adapter-kit"
import {
  assertKnownOptions,
  type LinkOptions,
  type RequiredRecord,
  type SchemaOptions,
  type TableOptions,
} from "./schema-options.js"
import type { Column, ColumnKind, Link, Table } from "./table.js"

/** The tables by record; null for one that the host left out. */
export type Schema = { readonly [M in RequiredRecord]: Table } & { readonly [M in OptionalRecord]: Table | null } & {
  /** Prefix of every table name that the host does not set. */
  readonly prefix: string
}

/** The names of a table in one of the layouts. */
interface TableLayout {
  readonly name: string
  /** Column names by field, if they differ from the field's name. */
  readonly names?: Readonly<Record<string, string>>
  readonly rowId?: string
  readonly link?: Link
}

/** The records of features that are off by default. */
export const featureRecords = ["temporary", "sessionDetail", "password", "factor", "accountChange"] as const

type Layout = Readonly<Record<RecordName, TableLayout>>

/** The tables that the ecosystem's SQL adapters share. */
const directLayout: Layout = {
  user: { name: "User" },
  account: { name: "Account" },
  session: { name: "Session" },
  verificationToken: { name: "VerificationToken" },
  authenticator: { name: "Authenticator" },
  spent: { name: "Spent" },
  provenEmail: { name: "ProvenEmail" },
  temporary: { name: "Temporary" },
  sessionDetail: { name: "SessionDetail" },
  password: { name: "Password" },
  factor: { name: "Factor" },
  accountChange: { name: "AccountChange" },
}

/**
 * The tables of stores with collections of records and links between them: two tables link accounts and sessions, which
 * refer to their user as well. Records that the reference schema lacks have a plain table.
 */
const linkedLayout: Layout = {
  user: { name: "users" },
  account: {
    name: "accounts",
    names: { userId: "user" },
    rowId: "id",
    link: { name: "users_accounts", owned: "account", owner: "user" },
  },
  session: {
    name: "sessions",
    names: { userId: "user" },
    rowId: "id",
    link: { name: "users_sessions", owned: "session", owner: "user" },
  },
  verificationToken: { name: "verification_tokens", rowId: "id" },
  authenticator: { name: "authenticators", names: { userId: "user" } },
  spent: { name: "spent" },
  provenEmail: { name: "proven_emails", names: { userId: "user" } },
  temporary: { name: "temporary" },
  sessionDetail: { name: "session_details", names: { userId: "user" } },
  password: { name: "passwords", names: { userId: "user" } },
  factor: { name: "factors", names: { userId: "user" } },
  accountChange: { name: "account_changes", names: { userId: "user" } },
}

const linkedPrefix = "auth_"

/** Keys that are too long for a `key` column. */
const longKeys: ReadonlySet<string> = new Set(["providerAccountId", "providerSession", "credentialID"])

const idKinds = { text: "key", integer: "integerKey", uuid: "uuidKey" } as const

/** The field of each record that contains a user's id. */
const idFields: Readonly<Partial<Record<RecordName, string>>> = {
  user: "id",
  account: "userId",
  session: "userId",
  authenticator: "userId",
  provenEmail: "userId",
  sessionDetail: "userId",
  password: "userId",
  factor: "userId",
  accountChange: "userId",
}

/** @throws TypeError when an option is unknown, names an unknown field, or gives two fields the same column */
export function resolveSchema(options: SchemaOptions): Schema {
  assertKnownOptions(options)
  const { userAccount, userSession } = options
  const resolve = (record: RecordName, own?: TableOptions, link?: LinkOptions) =>
    resolveTable(record, { ...own, link }, options)
  const resolveOptional = (record: OptionalRecord) => {
    const own = options[record]
    return own === false ? null : resolve(record, own)
  }
  return {
    user: resolve("user", options.user),
    account: resolve("account", options.account, userAccount),
    session: resolve("session", options.session, userSession),
    verificationToken: resolve("verificationToken", options.verificationToken),
    authenticator: resolve("authenticator", options.authenticator),
    spent: resolveOptional("spent"),
    provenEmail: resolveOptional("provenEmail"),
    temporary: resolveOptional("temporary"),
    sessionDetail: resolveOptional("sessionDetail"),
    password: resolveOptional("password"),
    factor: resolveOptional("factor"),
    accountChange: resolveOptional("accountChange"),
    prefix: resolvePrefix(options),
  }
}

function resolvePrefix({ layout, prefix }: SchemaOptions): string {
  return prefix ?? (layout === "linked" ? linkedPrefix : "")
}

function resolveTable(
  record: RecordName,
  own: TableOptions & { readonly link: LinkOptions | undefined },
  options: SchemaOptions,
): Table {
  const isLinked = options.layout === "linked"
  const { key, later } = recordModels[record]
  const table = (isLinked ? linkedLayout : directLayout)[record]
  const prefix = resolvePrefix(options)
  const names = new Map(Object.entries({ ...table.names, ...own.columns }))
  const columns = contractColumns(record, names, options.ids ?? "text")
  const extra = extraColumns(own.extra ?? {}, names)
  assertDistinct(record, [...columns, ...extra], names)
  return {
    name: own.name ?? `${prefix}${table.name}`,
    key,
    columns: [...columns, ...extra],
    extra,
    later: columns.filter((column) => later?.includes(column.field)),
    rowId: own.rowId ?? table.rowId,
    link: table.link && resolveLink({ ...table.link, name: `${prefix}${table.link.name}` }, own.link),
    isNullable: isLinked,
    isUnclaimed: featureRecords.some((feature) => feature === record) && options[record] === undefined,
  }
}

function resolveLink(link: Link, own: LinkOptions = {}): Link {
  const { name = link.name, owned = link.owned, owner = link.owner } = own
  return { name, owned, owner }
}

type Names = ReadonlyMap<string, string>

function contractColumns(record: RecordName, names: Names, ids: keyof typeof idKinds): Column[] {
  return Object.entries(recordModels[record].fields).map(([field, [kind, presence]]): Column => {
    const keyKind = longKeys.has(field) ? "longKey" : kind
    const ownKind = field === idFields[record] ? idKinds[ids] : keyKind
    return { field, name: names.get(field) ?? field, kind: ownKind, presence }
  })
}

function extraColumns(extra: Readonly<Record<string, ColumnKind>>, names: Names): Column[] {
  return Object.entries(extra).map(([field, kind]) => ({
    field,
    name: names.get(field) ?? field,
    kind,
    presence: "nullable",
  }))
}

function assertDistinct(record: RecordName, columns: readonly Column[], names: Names): void {
  const fields = new Set(columns.map((column) => column.field))
  for (const field of names.keys()) {
    if (!fields.has(field)) throw new TypeError(`${record}.columns.${field}: unknown field`)
  }
  if (fields.size !== columns.length) throw new TypeError(`${record}.extra repeats a field that the table already has`)
  if (new Set(columns.map((column) => column.name)).size !== columns.length) {
    throw new TypeError(`${record}.columns: two fields have the same column`)
  }
}
