// Imported as `@latchkey/drizzle-adapter/sqlite`.
export {
  accountChangesTable,
  accountsTable,
  authenticatorsTable,
  factorsTable,
  passwordsTable,
  provenEmailsTable,
  sessionDetailsTable,
  sessionsTable,
  spentTable,
  temporariesTable,
  usersTable,
  verificationTokensTable,
} from "./tables.js"
