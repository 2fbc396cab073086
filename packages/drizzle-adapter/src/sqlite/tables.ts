import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** An instant, in milliseconds since 1970. */
const instant = (name: string) => integer(name, { mode: "timestamp_ms" })

const userId = () =>
  text("userId")
    .notNull()
    .references(() => usersTable.id, { onDelete: "cascade" })

/** The users. */
export const usersTable = sqliteTable("user", {
  id: text("id")
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  name: text("name"),
  email: text("email").unique(),
  emailVerified: instant("emailVerified"),
  image: text("image"),
})

/** The accounts that users sign in with. */
export const accountsTable = sqliteTable(
  "account",
  {
    userId: userId(),
    type: text("type").notNull(),
    provider: text("provider").notNull(),
    providerAccountId: text("providerAccountId").notNull(),
    refresh_token: text("refresh_token"),
    access_token: text("access_token"),
    expires_at: integer("expires_at"),
    token_type: text("token_type"),
    scope: text("scope"),
    id_token: text("id_token"),
    session_state: text("session_state"),
  },
  (account) => [
    primaryKey({ columns: [account.provider, account.providerAccountId] }),
    index("account_userId_idx").on(account.userId),
  ],
)

/** The stored sessions. */
export const sessionsTable = sqliteTable(
  "session",
  {
    sessionToken: text("sessionToken").primaryKey(),
    userId: userId(),
    expires: instant("expires").notNull(),
  },
  (session) => [index("session_userId_idx").on(session.userId)],
)

/** The pending email sign-ins, with the hash of their token. */
export const verificationTokensTable = sqliteTable(
  "verificationToken",
  {
    identifier: text("identifier").notNull(),
    token: text("token").notNull(),
    expires: instant("expires").notNull(),
  },
  (verificationToken) => [primaryKey({ columns: [verificationToken.identifier, verificationToken.token] })],
)

const credentialColumns = () => ({
  credentialID: text("credentialID").notNull().unique(),
  userId: userId(),
  providerAccountId: text("providerAccountId").notNull(),
  credentialPublicKey: text("credentialPublicKey").notNull(),
  counter: integer("counter").notNull(),
  credentialDeviceType: text("credentialDeviceType").notNull(),
  credentialBackedUp: integer("credentialBackedUp", { mode: "boolean" }).notNull(),
  transports: text("transports"),
})

/** The passkeys. */
export const authenticatorsTable = sqliteTable(
  "authenticator",
  { ...credentialColumns(), name: text("name"), lastUsedAt: instant("lastUsedAt") },
  (authenticator) => [primaryKey({ columns: [authenticator.userId, authenticator.credentialID] })],
)

/** The columns of the ecosystem's adapter only: no `name` and no `lastUsedAt`. */
export const plainAuthenticatorsTable = sqliteTable("authenticator", credentialColumns())

/** The consumed ids: completed sign-in flows and passkey challenges, until they expire. */
export const spentTable = sqliteTable("spent", {
  id: text("id").primaryKey(),
  expires: instant("expires").notNull(),
})

/** The verified emails of users. */
export const provenEmailsTable = sqliteTable(
  "provenEmail",
  {
    userId: userId(),
    email: text("email").notNull(),
    provider: text("provider").notNull(),
  },
  (provenEmail) => [primaryKey({ columns: [provenEmail.userId, provenEmail.email] })],
)

/** Values and leases that expire. */
export const temporariesTable = sqliteTable("temporary", {
  id: text("id").primaryKey(),
  value: text("value").notNull(),
  expires: instant("expires").notNull(),
})

/** The details of tracked sessions; they are deleted with the session. */
export const sessionDetailsTable = sqliteTable(
  "sessionDetail",
  {
    id: text("id").primaryKey(),
    userId: userId(),
    sessionToken: text("sessionToken").references(() => sessionsTable.sessionToken, { onDelete: "cascade" }),
    provider: text("provider").notNull(),
    providerAccountId: text("providerAccountId").notNull(),
    providerSession: text("providerSession"),
    amr: text("amr").notNull(),
    createdAt: instant("createdAt").notNull(),
    lastSeenAt: instant("lastSeenAt").notNull(),
    expires: instant("expires").notNull(),
    userAgent: text("userAgent"),
    network: text("network"),
    label: text("label"),
  },
  (detail) => [
    index("sessionDetail_userId_idx").on(detail.userId),
    index("sessionDetail_sessionToken_idx").on(detail.sessionToken),
    index("sessionDetail_provider_idx").on(detail.provider, detail.providerSession),
    index("sessionDetail_account_idx").on(detail.provider, detail.providerAccountId),
  ],
)

/** The hashes of passwords. */
export const passwordsTable = sqliteTable("password", {
  userId: userId().primaryKey(),
  hash: text("hash").notNull(),
  changedAt: instant("changedAt").notNull(),
})

/** The second factors. */
export const factorsTable = sqliteTable(
  "factor",
  {
    id: text("id").primaryKey(),
    userId: userId(),
    kind: text("kind").notNull(),
    secret: text("secret").notNull(),
    label: text("label"),
    lastStep: integer("lastStep"),
    version: integer("version").notNull(),
    createdAt: instant("createdAt").notNull(),
    lastUsedAt: instant("lastUsedAt"),
  },
  (factor) => [index("factor_userId_idx").on(factor.userId)],
)

/** Changes of accounts that can be undone or are planned. */
export const accountChangesTable = sqliteTable(
  "accountChange",
  {
    id: text("id").primaryKey(),
    userId: userId(),
    kind: text("kind").notNull(),
    value: text("value").notNull(),
    expires: instant("expires").notNull(),
  },
  (change) => [index("accountChange_userId_idx").on(change.userId), index("accountChange_kind_idx").on(change.kind)],
)
