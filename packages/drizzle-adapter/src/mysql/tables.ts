import { bigint, boolean, customType, datetime, index, mysqlTable, primaryKey } from "drizzle-orm/mysql-core"

/**
 * Text that is compared exactly, trailing spaces included. MySQL and MariaDB have different names for the collation;
 * each reads the comment addressed to it.
 * @see https://mariadb.com/kb/en/comment-syntax/#executable-comment-syntax
 */
const exact = "character set utf8mb4 /*!80017 collate utf8mb4_0900_bin */ /*M!100200 collate utf8mb4_nopad_bin */"

type TextColumn = { data: string; driverData: string }

/** Text that identifies rows: up to 255 characters, so that two of them fit into one index (3072 bytes). */
const key = customType<TextColumn>({ dataType: () => `varchar(255) ${exact}` })

/**
 * Ids of credentials and accounts. Stored as bytes: a credential id can have 1364 characters, which at four bytes per
 * character would not fit into an index.
 */
const longKey = customType<TextColumn>({ dataType: () => "varbinary(2000)" })

/** Text up to 16 MB. */
const longText = customType<TextColumn>({ dataType: () => `mediumtext ${exact}` })

/** An instant in UTC, with milliseconds. */
const instant = (name: string) => datetime(name, { mode: "date", fsp: 3 })

const userId = () =>
  key("userId")
    .notNull()
    .references(() => usersTable.id, { onDelete: "cascade" })

/** The users. */
export const usersTable = mysqlTable("user", {
  id: key("id")
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  name: longText("name"),
  email: key("email").unique(),
  emailVerified: instant("emailVerified"),
  image: longText("image"),
})

/** The accounts that users sign in with. */
export const accountsTable = mysqlTable(
  "account",
  {
    userId: userId(),
    type: longText("type").notNull(),
    provider: key("provider").notNull(),
    providerAccountId: longKey("providerAccountId").notNull(),
    refresh_token: longText("refresh_token"),
    access_token: longText("access_token"),
    expires_at: bigint("expires_at", { mode: "number" }),
    token_type: longText("token_type"),
    scope: longText("scope"),
    id_token: longText("id_token"),
    session_state: longText("session_state"),
  },
  (account) => [primaryKey({ columns: [account.provider, account.providerAccountId] })],
)

/** The stored sessions. */
export const sessionsTable = mysqlTable("session", {
  sessionToken: key("sessionToken").primaryKey(),
  userId: userId(),
  expires: instant("expires").notNull(),
})

/** The pending email sign-ins, with the hash of their token. */
export const verificationTokensTable = mysqlTable(
  "verificationToken",
  {
    identifier: key("identifier").notNull(),
    token: key("token").notNull(),
    expires: instant("expires").notNull(),
  },
  (verificationToken) => [primaryKey({ columns: [verificationToken.identifier, verificationToken.token] })],
)

const credentialColumns = () => ({
  credentialID: longKey("credentialID").notNull().unique(),
  userId: userId(),
  providerAccountId: longKey("providerAccountId").notNull(),
  credentialPublicKey: longText("credentialPublicKey").notNull(),
  // An unsigned 32-bit integer.
  counter: bigint("counter", { mode: "number" }).notNull(),
  credentialDeviceType: longText("credentialDeviceType").notNull(),
  credentialBackedUp: boolean("credentialBackedUp").notNull(),
  transports: longText("transports"),
})

/** The passkeys. */
export const authenticatorsTable = mysqlTable(
  "authenticator",
  { ...credentialColumns(), name: longText("name"), lastUsedAt: instant("lastUsedAt") },
  (authenticator) => [primaryKey({ columns: [authenticator.userId, authenticator.credentialID] })],
)

/** The columns of the ecosystem's adapter only: no `name` and no `lastUsedAt`. */
export const plainAuthenticatorsTable = mysqlTable("authenticator", credentialColumns())

/** The consumed ids: completed sign-in flows and passkey challenges, until they expire. */
export const spentTable = mysqlTable("spent", {
  id: key("id").primaryKey(),
  expires: instant("expires").notNull(),
})

/** The verified emails of users. */
export const provenEmailsTable = mysqlTable(
  "provenEmail",
  {
    userId: userId(),
    email: key("email").notNull(),
    provider: key("provider").notNull(),
  },
  (provenEmail) => [primaryKey({ columns: [provenEmail.userId, provenEmail.email] })],
)

/** Values and leases that expire. */
export const temporariesTable = mysqlTable("temporary", {
  id: key("id").primaryKey(),
  value: longText("value").notNull(),
  expires: instant("expires").notNull(),
})

/** The details of tracked sessions; they are deleted with the session. */
export const sessionDetailsTable = mysqlTable(
  "sessionDetail",
  {
    id: key("id").primaryKey(),
    userId: userId(),
    sessionToken: key("sessionToken").references(() => sessionsTable.sessionToken, { onDelete: "cascade" }),
    provider: key("provider").notNull(),
    providerAccountId: longKey("providerAccountId").notNull(),
    providerSession: longKey("providerSession"),
    amr: longText("amr").notNull(),
    createdAt: instant("createdAt").notNull(),
    lastSeenAt: instant("lastSeenAt").notNull(),
    expires: instant("expires").notNull(),
    userAgent: longText("userAgent"),
    network: longText("network"),
    label: longText("label"),
  },
  (detail) => [
    index("sessionDetail_provider_idx").on(detail.provider, detail.providerSession),
    index("sessionDetail_account_idx").on(detail.provider, detail.providerAccountId),
  ],
)

/** The hashes of passwords. */
export const passwordsTable = mysqlTable("password", {
  userId: userId().primaryKey(),
  hash: longText("hash").notNull(),
  changedAt: instant("changedAt").notNull(),
})

/** The second factors. */
export const factorsTable = mysqlTable("factor", {
  id: key("id").primaryKey(),
  userId: userId(),
  kind: longText("kind").notNull(),
  secret: longText("secret").notNull(),
  label: longText("label"),
  lastStep: bigint("lastStep", { mode: "number" }),
  version: bigint("version", { mode: "number" }).notNull(),
  createdAt: instant("createdAt").notNull(),
  lastUsedAt: instant("lastUsedAt"),
})

/** Changes of accounts that can be undone or are planned. */
export const accountChangesTable = mysqlTable(
  "accountChange",
  {
    id: key("id").primaryKey(),
    userId: userId(),
    kind: key("kind").notNull(),
    value: longText("value").notNull(),
    expires: instant("expires").notNull(),
  },
  (change) => [index("accountChange_kind_idx").on(change.kind)],
)
