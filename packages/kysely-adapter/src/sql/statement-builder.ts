import {
  type DialectAdapter,
  DummyDriver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely"
import type { AnyTables } from "./any-kysely.js"
import type { DatabaseKind } from "./dialect.js"

interface Parts {
  readonly adapter: () => DialectAdapter
  readonly compiler: () => QueryCompiler
  readonly introspector: typeof SqliteIntrospector | typeof PostgresIntrospector | typeof MysqlIntrospector
}

const parts: Readonly<Record<DatabaseKind, Parts>> = {
  sqlite: {
    adapter: () => new SqliteAdapter(),
    compiler: () => new SqliteQueryCompiler(),
    introspector: SqliteIntrospector,
  },
  postgres: {
    adapter: () => new PostgresAdapter(),
    compiler: () => new PostgresQueryCompiler(),
    introspector: PostgresIntrospector,
  },
  mysql: {
    adapter: () => new MysqlAdapter(),
    compiler: () => new MysqlQueryCompiler(),
    introspector: MysqlIntrospector,
  },
}

/** Builds statements for a kind of database, and runs none. */
export function statementBuilder(kind: DatabaseKind): Kysely<AnyTables> {
  const { adapter, compiler, introspector: Introspector } = parts[kind]
  return new Kysely({
    dialect: {
      createAdapter: adapter,
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new Introspector(db),
      createQueryCompiler: compiler,
    },
  })
}
