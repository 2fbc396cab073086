import type { ColumnType } from "kysely"

/**
 * An instant as the database returns it: a `Date` from PostgreSQL, text from SQLite. Written as ISO 8601 text in UTC,
 * which every database accepts.
 */
export type SqlDate = ColumnType<Date | string, string, string>

/** The users. */
export interface UserTable {
  id: string
  name: string | null
  email: string | null
  emailVerified: SqlDate | null
  image: string | null
}

/** The accounts that users sign in with. */
export interface AccountTable {
  userId: string
  type: string
  provider: string
  providerAccountId: string
  refresh_token: string | null
  access_token: string | null
  /** Seconds since 1970-01-01T00:00:00Z. PostgreSQL's drivers return large numbers as text. */
  expires_at: number | string | null
  token_type: string | null
  scope: string | null
  id_token: string | null
  session_state: string | null
}

/** The stored sessions. */
export interface SessionTable {
  sessionToken: string
  userId: string
  expires: SqlDate
}

/** The pending email sign-ins, with the hash of their token. */
export interface VerificationTokenTable {
  identifier: string
  token: string
  expires: SqlDate
}

/** The passkeys. */
export interface AuthenticatorTable {
  credentialID: string
  userId: string
  providerAccountId: string
  credentialPublicKey: string
  counter: number | string
  credentialDeviceType: string
  credentialBackedUp: boolean | number
  transports: string | null
  name: string | null
  lastUsedAt: SqlDate | null
}

/** The consumed ids: completed sign-in flows and passkey challenges, so that none is completed twice. */
export interface SpentTable {
  id: string
  expires: SqlDate
}

/** The verified emails of users. */
export interface ProvenEmailTable {
  userId: string
  email: string
  provider: string
}

/** Values and leases that expire, each kind with its own beginning of the id. */
export interface TemporaryTable {
  id: string
  value: string
  expires: SqlDate
}

/** The details of tracked sessions. */
export interface SessionDetailTable {
  id: string
  userId: string
  sessionToken: string | null
  provider: string
  providerAccountId: string
  providerSession: string | null
  amr: string
  createdAt: SqlDate
  lastSeenAt: SqlDate
  expires: SqlDate
  userAgent: string | null
  network: string | null
  label: string | null
}

/** The hashes of passwords. */
export interface PasswordTable {
  userId: string
  hash: string
  changedAt: SqlDate
}

/** The second factors. */
export interface FactorTable {
  id: string
  userId: string
  kind: string
  secret: string
  label: string | null
  lastStep: number | string | null
  version: number | string
  createdAt: SqlDate
  lastUsedAt: SqlDate | null
}

/** Changes of accounts that can be undone or are planned. */
export interface AccountChangeTable {
  id: string
  userId: string
  kind: string
  value: string
  expires: SqlDate
}

/** The default tables, for your own queries: `new Kysely<Database & MyTables>(...)`. */
export interface Database {
  User: UserTable
  Account: AccountTable
  Session: SessionTable
  VerificationToken: VerificationTokenTable
  Authenticator: AuthenticatorTable
  Spent: SpentTable
  ProvenEmail: ProvenEmailTable
  Temporary: TemporaryTable
  SessionDetail: SessionDetailTable
  Password: PasswordTable
  Factor: FactorTable
  AccountChange: AccountChangeTable
}
