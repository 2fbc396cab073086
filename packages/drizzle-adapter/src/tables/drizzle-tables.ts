import type { Column, Table } from "drizzle-orm"

/** A table of Drizzle's with at least these columns. Columns beside them are written and read with their records. */
type TableWith<Field extends string> = Table & Readonly<Record<Field, Column>>

type OAuthField = "refresh_token" | "access_token" | "expires_at" | "token_type" | "scope" | "id_token"
type CredentialField = "credentialID" | "credentialPublicKey" | "credentialDeviceType" | "credentialBackedUp"

/**
 * The host's tables. Those of the contract that are left out have the names and columns of the default ones. A module
 * that exports them, and other things beside them, may be given as it is.
 */
export interface DrizzleTables {
  readonly usersTable?: TableWith<"id" | "name" | "email" | "emailVerified" | "image">
  readonly accountsTable?: TableWith<
    "userId" | "type" | "provider" | "providerAccountId" | "session_state" | OAuthField
  >
  readonly sessionsTable?: TableWith<"sessionToken" | "userId" | "expires">
  readonly verificationTokensTable?: TableWith<"identifier" | "token" | "expires">
  /** With columns for `name` and `lastUsedAt` the adapter has `updateAuthenticator`. */
  readonly authenticatorsTable?: TableWith<CredentialField | "userId" | "providerAccountId" | "counter" | "transports">
  /** Without it the adapter has no `consumeOnce`, and each process remembers for itself what was spent. */
  readonly spentTable?: TableWith<"id" | "expires">
  /**
   * Without it the adapter has neither `markEmailVerified` nor `isEmailVerified`, and the service cannot tell users whose address
   * nobody proved.
   */
  readonly provenEmailsTable?: TableWith<"userId" | "email" | "provider">
}
