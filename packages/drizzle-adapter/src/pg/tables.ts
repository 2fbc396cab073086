import { bigint, boolean, index, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core"

/** An instant, with milliseconds. */
const instant = (name: string) => timestamp(name, { mode: "date", precision: 3, withTimezone: true })

const userId = () =>
  text("userId")
    .notNull()
    .references(() => usersTable.id, { onDelete: "cascade" })

/** The users. */
export const usersTable = pgTable("user", {
  id: text("id")
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  name: text("name"),
  email: text("email").unique(),
  emailVerified: instant("emailVerified"),
  image: text("image"),
})

/** The accounts that users sign in with. */
export const accountsTable = pgTable(
  "account",
  {
    userId: userId(),
    type: text("type").notNull(),
    provider: text("provider").notNull(),
    providerAccountId: text("providerAccountId").notNull(),
    refresh_token: text("refresh_token"),
    access_token: text("access_token"),
    expires_at: bigint("expires_at", { mode: "number" }),
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
export const sessionsTable = pgTable(
  "session",
  {
    sessionToken: text("sessionToken").primaryKey(),
    userId: userId(),
    expires: instant("expires").notNull(),
  },
  (session) => [index("session_userId_idx").on(session.userId)],
)

/** The pending email sign-ins, with the hash of their token. */
export const verificationTokensTable = pgTable(
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
  // An unsigned 32-bit integer.
  counter: bigint("counter", { mode: "number" }).notNull(),
  credentialDeviceType: text("credentialDeviceType").notNull(),
  credentialBackedUp: boolean("credentialBackedUp").notNull(),
  transports: text("transports"),
})

/** The passkeys. */
export const authenticatorsTable = pgTable(
  "authenticator",
  { ...credentialColumns(), name: text("name"), lastUsedAt: instant("lastUsedAt") },
  (authenticator) => [primaryKey({ columns: [authenticator.userId, authenticator.credentialID] })],
)

/** The columns of the ecosystem's adapter only: no `name` and no `lastUsedAt`. */
export const plainAuthenticatorsTable = pgTable("authenticator", credentialColumns())

/** The consumed ids: completed sign-in flows and passkey challenges, until they expire. */
export const spentTable = pgTable("spent", {
  id: text("id").primaryKey(),
  expires: instant("expires").notNull(),
})

/** The verified emails of users. */
export const provenEmailsTable = pgTable(
  "provenEmail",
  {
    userId: userId(),
    email: text("email").notNull(),
    provider: text("provider").notNull(),
  },
  (provenEmail) => [primaryKey({ columns: [provenEmail.userId, provenEmail.email] })],
)

/** Values and leases that expire. */
export const temporariesTable = pgTable("temporary", {
  id: text("id").primaryKey(),
  value: text("value").notNull(),
  expires: instant("expires").notNull(),
})

/** The details of tracked sessions; they are deleted with the session. */
export const sessionDetailsTable = pgTable(
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
export const passwordsTable = pgTable("password", {
  userId: userId().primaryKey(),
  hash: text("hash").notNull(),
  changedAt: instant("changedAt").notNull(),
})

/** The second factors. */
export const factorsTable = pgTable(
  "factor",
  {
    id: text("id").primaryKey(),
    userId: userId(),
    kind: text("kind").notNull(),
    secret: text("secret").notNull(),
    label: text("label"),
    lastStep: bigint("lastStep", { mode: "number" }),
    version: bigint("version", { mode: "number" }).notNull(),
    createdAt: instant("createdAt").notNull(),
    lastUsedAt: instant("lastUsedAt"),
  },
  (factor) => [index("factor_userId_idx").on(factor.userId)],
)

/** Changes of accounts that can be undone or are planned. */
export const accountChangesTable = pgTable(
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
