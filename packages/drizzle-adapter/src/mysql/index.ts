// Imported as `@latchkey/drizzle-adapter/mysql`.
export {
  accountsTable,
  authenticatorsTable,
  provenEmailsTable,
  sessionsTable,
  spentTable,
  usersTable,
  verificationTokensTable,
} from "./tables.js"
