import type { ColumnType } from "kysely"

/**
 * An instant as the database gives it: a `Date` from PostgreSQL, text from SQLite. Written as ISO 8601 text in UTC,
 * which every database accepts.
 */
export type SqlDate = ColumnType<Date | string, string, string>

export interface UserTable {
  id: string
  name: string | null
  email: string | null
  emailVerified: SqlDate | null
  image: string | null
}

export interface AccountTable {
  userId: string
  type: string
  provider: string
  providerAccountId: string
  refresh_token: string | null
  access_token: string | null
  /** Seconds since 1970-01-01T00:00:00Z. PostgreSQL's drivers give large numbers as text. */
  expires_at: number | string | null
  token_type: string | null
  scope: string | null
  id_token: string | null
  session_state: string | null
}

export interface SessionTable {
  sessionToken: string
  userId: string
  expires: SqlDate
}

export interface VerificationTokenTable {
  identifier: string
  token: string
  expires: SqlDate
}

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

/** Flows and challenges that were completed, so that they are not completed again. */
export interface SpentTable {
  id: string
  expires: SqlDate
}

/** Addresses of users for which a provider vouched. */
export interface ProvenEmailTable {
  userId: string
  email: string
  provider: string
}

/** The default tables, for a host that queries them itself: `new Kysely<Database & MyTables>(...)`. */
export interface Database {
  User: UserTable
  Account: AccountTable
  Session: SessionTable
  VerificationToken: VerificationTokenTable
  Authenticator: AuthenticatorTable
  Spent: SpentTable
  ProvenEmail: ProvenEmailTable
}
