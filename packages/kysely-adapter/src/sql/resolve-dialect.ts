import { type DialectAdapter, MysqlAdapter, PostgresAdapter, SqliteAdapter } from "kysely"
import type { AnyKysely } from "./any-kysely.js"
import type { DatabaseKind, SqlDialect } from "./dialect.js"
import { mysqlDialect } from "./mysql-dialect.js"
import { postgresDialect } from "./postgres-dialect.js"
import { sqliteDialect } from "./sqlite-dialect.js"

const dialects: Readonly<Record<DatabaseKind, SqlDialect>> = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
  mysql: mysqlDialect,
}

export function getDialect(kind: DatabaseKind): SqlDialect {
  return dialects[kind]
}

/**
 * The dialect that a host names, or else the one that its instance speaks.
 * @throws TypeError when nothing is named and the instance's dialect is not one of ours or derived from them.
 */
export function resolveDialect(db: AnyKysely, named: DatabaseKind | undefined): SqlDialect {
  const kind = named ?? detectKind(db.getExecutor().adapter)
  if (kind === undefined) throw new TypeError('The database is not recognised: set "database" to its kind')
  return dialects[kind]
}

function detectKind(adapter: DialectAdapter): DatabaseKind | undefined {
  if (adapter instanceof SqliteAdapter) return "sqlite"
  if (adapter instanceof PostgresAdapter) return "postgres"
  return adapter instanceof MysqlAdapter ? "mysql" : undefined
}
