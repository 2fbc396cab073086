// Imported as `@latchkey/kysely-adapter`.
export { KyselyAdapter, type KyselyAdapterOptions } from "./kysely-adapter.js"
export type { AnyKysely } from "./sql/any-kysely.js"
export type { DatabaseKind } from "./sql/dialect.js"
export { isUniqueViolation } from "./sql/unique-violation.js"
export type { SqlAdapter } from "./sql-adapter.js"
export type { ColumnKind } from "./tables/column.js"
export type {
  AccountTable,
  AuthenticatorTable,
  Database,
  ProvenEmailTable,
  SessionTable,
  SpentTable,
  SqlDate,
  UserTable,
  VerificationTokenTable,
} from "./tables/database.js"
export type { LinkOptions, SchemaOptions, TableOptions } from "./tables/schema-options.js"
export type { ExtraFields, TypedMethods } from "./typed-methods.js"
