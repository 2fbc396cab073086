import { type DefaultTable, defaultTables, type Model } from "./default-tables.js"

/** Before the names of the tables of this layout. */
export const linkedPrefix = "auth_"

/**
 * The layout of stores that keep collections of records and links between them: two of the tables say who owns the
 * accounts and the sessions, which name their user as well. What the reference schema does not know has a table of its
 * own.
 */
export const linkedTables: Readonly<Record<Model, DefaultTable>> = {
  user: { ...defaultTables.user, name: "users" },
  account: {
    ...defaultTables.account,
    name: "accounts",
    names: { userId: "user" },
    rowId: "id",
    link: { name: "users_accounts", owned: "account", owner: "user" },
  },
  session: {
    ...defaultTables.session,
    name: "sessions",
    names: { userId: "user" },
    rowId: "id",
    link: { name: "users_sessions", owned: "session", owner: "user" },
  },
  verificationToken: { ...defaultTables.verificationToken, name: "verification_tokens", rowId: "id" },
  authenticator: { ...defaultTables.authenticator, name: "authenticators", names: { userId: "user" } },
  spent: { ...defaultTables.spent, name: "spent" },
  provenEmail: { ...defaultTables.provenEmail, name: "proven_emails", names: { userId: "user" } },
}
