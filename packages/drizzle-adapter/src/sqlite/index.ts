// Imported as `@latchkey/drizzle-adapter/sqlite`.
export {
  accountsTable,
  authenticatorsTable,
  provenEmailsTable,
  sessionsTable,
  spentTable,
  usersTable,
  verificationTokensTable,
} from "./tables.js"
