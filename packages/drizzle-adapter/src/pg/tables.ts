import { bigint, boolean, index, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core"

/** An instant, exact to the millisecond. */
const instant = (name: string) => timestamp(name, { mode: "date", precision: 3, withTimezone: true })

const userId = () =>
  text("userId")
    .notNull()
    .references(() => usersTable.id, { onDelete: "cascade" })

export const usersTable = pgTable("user", {
  id: text("id")
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  name: text("name"),
  email: text("email").unique(),
  emailVerified: instant("emailVerified"),
  image: text("image"),
})

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

export const sessionsTable = pgTable(
  "session",
  {
    sessionToken: text("sessionToken").primaryKey(),
    userId: userId(),
    expires: instant("expires").notNull(),
  },
  (session) => [index("session_userId_idx").on(session.userId)],
)

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
  // 32 bits without a sign.
  counter: bigint("counter", { mode: "number" }).notNull(),
  credentialDeviceType: text("credentialDeviceType").notNull(),
  credentialBackedUp: boolean("credentialBackedUp").notNull(),
  transports: text("transports"),
})

export const authenticatorsTable = pgTable(
  "authenticator",
  { ...credentialColumns(), name: text("name"), lastUsedAt: instant("lastUsedAt") },
  (authenticator) => [primaryKey({ columns: [authenticator.userId, authenticator.credentialID] })],
)

/** As the ecosystem has it: without a name and without the last use. */
export const plainAuthenticatorsTable = pgTable("authenticator", credentialColumns())

/** Which sign-in flows and passkey challenges were completed, until they would expire. */
export const spentTable = pgTable("spent", {
  id: text("id").primaryKey(),
  expires: instant("expires").notNull(),
})

/** For which users' addresses a provider vouched. */
export const provenEmailsTable = pgTable(
  "provenEmail",
  {
    userId: userId(),
    email: text("email").notNull(),
    provider: text("provider").notNull(),
  },
  (provenEmail) => [primaryKey({ columns: [provenEmail.userId, provenEmail.email] })],
)
