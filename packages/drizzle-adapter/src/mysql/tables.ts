import { bigint, boolean, datetime, mysqlTable, primaryKey } from "drizzle-orm/mysql-core"
import { key, longKey, longText } from "./columns.js"

/** An instant in UTC, exact to the millisecond. */
const instant = (name: string) => datetime(name, { mode: "date", fsp: 3 })

const userId = () =>
  key("userId")
    .notNull()
    .references(() => usersTable.id, { onDelete: "cascade" })

export const usersTable = mysqlTable("user", {
  id: key("id")
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  name: longText("name"),
  email: key("email").unique(),
  emailVerified: instant("emailVerified"),
  image: longText("image"),
})

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

export const sessionsTable = mysqlTable("session", {
  sessionToken: key("sessionToken").primaryKey(),
  userId: userId(),
  expires: instant("expires").notNull(),
})

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
  // 32 bits without a sign.
  counter: bigint("counter", { mode: "number" }).notNull(),
  credentialDeviceType: longText("credentialDeviceType").notNull(),
  credentialBackedUp: boolean("credentialBackedUp").notNull(),
  transports: longText("transports"),
})

export const authenticatorsTable = mysqlTable(
  "authenticator",
  { ...credentialColumns(), name: longText("name"), lastUsedAt: instant("lastUsedAt") },
  (authenticator) => [primaryKey({ columns: [authenticator.userId, authenticator.credentialID] })],
)

/** As the ecosystem has it: without a name and without the last use. */
export const plainAuthenticatorsTable = mysqlTable("authenticator", credentialColumns())

/** Which sign-in flows and passkey challenges were completed, until they would expire. */
export const spentTable = mysqlTable("spent", {
  id: key("id").primaryKey(),
  expires: instant("expires").notNull(),
})

/** For which users' addresses a provider vouched. */
export const provenEmailsTable = mysqlTable(
  "provenEmail",
  {
    userId: userId(),
    email: key("email").notNull(),
    provider: key("provider").notNull(),
  },
  (provenEmail) => [primaryKey({ columns: [provenEmail.userId, provenEmail.email] })],
)
