// Imported as `@latchkey/kysely-adapter`.
export { isUniqueViolation } from "@latchkey/adapter-kit"
export {
  type ExtraFields,
  KyselyAdapter,
  type KyselyAdapterOptions,
  type SqlAdapter,
  type TypedMethods,
} from "./kysely-adapter.js"
export type { DatabaseKind } from "./sql/dialect.js"
export type { AnyKysely } from "./sql/runner.js"
export type {
  AccountChangeTable,
  AccountTable,
  AuthenticatorTable,
  Database,
  FactorTable,
  PasswordTable,
  ProvenEmailTable,
  SessionDetailTable,
  SessionTable,
  SpentTable,
  SqlDate,
  TemporaryTable,
  UserTable,
  VerificationTokenTable,
} from "./tables/database.js"
export type { LinkOptions, SchemaOptions, TableOptions } from "./tables/schema-options.js"
export type { ColumnKind } from "./tables/table.js"
