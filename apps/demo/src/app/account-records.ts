import type { DatabaseSync } from "node:sqlite"
import { sessionReference } from "./visitor.js"

export interface LinkedAccount {
  readonly provider: string
  readonly providerAccountId: string
}

export interface SessionRecord {
  readonly reference: string
  readonly expiresAt: Date
}

/** What the account page shows and changes of the records that the adapter keeps. */
export interface AccountRecords {
  /** Accounts elsewhere; passkeys are not among them. */
  linkedAccounts(userId: string): readonly LinkedAccount[]
  /** When the user's address was proven by a link sent to it, or null. */
  emailProvenAt(userId: string): Date | null
  /** Removes an account unless it is the user's last way to sign in. False when it was left. */
  unlink(userId: string, account: LinkedAccount): boolean
  /** Sessions that have not expired, the longest-lived first. */
  sessions(userId: string): readonly SessionRecord[]
  /** Ends every session of the user except the named one, and returns how many there were. */
  endOtherSessions(userId: string, reference: string): number
}

const linked = `select provider, providerAccountId from "Account"
  where userId = ? and type <> 'webauthn' order by provider, providerAccountId`

const proven = `select emailVerified from "User" where id = ?`

/**
 * Counts and removes in one statement: two windows that remove the last two ways at the same moment must not both
 * succeed. A link by mail counts once it was used, for an address that was never proven may be misspelt.
 */
const unlink = `delete from "Account" where userId = ?1 and provider = ?2 and providerAccountId = ?3 and (
  (select count(*) from "Account" where userId = ?1) > 1
  or exists (select 1 from demo_password where user_id = ?1)
  or exists (select 1 from "User" where id = ?1 and emailVerified is not null))`

const open = `select sessionToken, expires from "Session" where userId = ? order by expires desc`

const endOthers = `delete from "Session" where userId = ? and sessionToken <> ?`

interface SessionRow {
  readonly sessionToken: string
  readonly expiresAt: Date
}

/** @param database the one in which the adapter and the password store have made their tables */
export function accountRecords(database: DatabaseSync): AccountRecords {
  const statements = {
    linked: database.prepare(linked),
    proven: database.prepare(proven),
    unlink: database.prepare(unlink),
    open: database.prepare(open),
    endOthers: database.prepare(endOthers),
  }
  const sessionRows = (userId: string): readonly SessionRow[] =>
    statements.open
      .all(userId)
      .map((row) => ({ sessionToken: String(row["sessionToken"]), expiresAt: new Date(String(row["expires"])) }))
  return {
    linkedAccounts: (userId) =>
      statements.linked.all(userId).map((row) => ({
        provider: String(row["provider"]),
        providerAccountId: String(row["providerAccountId"]),
      })),
    emailProvenAt: (userId) => {
      const value = statements.proven.get(userId)?.["emailVerified"]
      return typeof value === "string" ? new Date(value) : null
    },
    unlink: (userId, { provider, providerAccountId }) =>
      statements.unlink.run(userId, provider, providerAccountId).changes === 1,
    sessions: (userId) =>
      sessionRows(userId)
        .filter(({ expiresAt }) => expiresAt.getTime() > Date.now())
        .map(({ sessionToken, expiresAt }) => ({ reference: sessionReference(sessionToken), expiresAt })),
    endOtherSessions: (userId, reference) => {
      const current = sessionRows(userId).find((row) => sessionReference(row.sessionToken) === reference)
      return current ? Number(statements.endOthers.run(userId, current.sessionToken).changes) : 0
    },
  }
}
