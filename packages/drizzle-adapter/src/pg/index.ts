// Imported as `@latchkey/drizzle-adapter/pg`.
export {
  accountsTable,
  authenticatorsTable,
  provenEmailsTable,
  sessionsTable,
  spentTable,
  usersTable,
  verificationTokensTable,
} from "./tables.js"
