import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite"
import {
  type ArgType,
  type ColumnType,
  ColumnTypeEnum,
  DriverAdapterError,
  type IsolationLevel,
  type SqlDriverAdapter,
  type SqlDriverAdapterFactory,
  type SqlQuery,
  type SqlQueryable,
  type SqlResultSet,
  type Transaction,
} from "@prisma/driver-adapter-utils"

/**
 * A Prisma driver adapter for node:sqlite, because Prisma's own SQLite adapters need compiled addons. It has one connection:
 * queries wait while a transaction is open.
 */
export function nodeSqliteAdapter(database: DatabaseSync): SqlDriverAdapterFactory {
  return { ...name, connect: async () => driverAdapter(database) }
}

const name = { provider: "sqlite", adapterName: "node-sqlite" } as const

function driverAdapter(database: DatabaseSync): SqlDriverAdapter {
  const turns = new Turns()
  const plain = queryable(database)
  return {
    ...name,
    queryRaw: (query) => turns.take(() => plain.queryRaw(query)),
    executeRaw: (query) => turns.take(() => plain.executeRaw(query)),
    executeScript: (script) => turns.take(async () => database.exec(script)),
    async startTransaction(isolation?: IsolationLevel): Promise<Transaction> {
      if (isolation !== undefined && isolation !== "SERIALIZABLE") {
        throw new DriverAdapterError({ kind: "InvalidIsolationLevel", level: isolation })
      }
      const release = await turns.hold()
      database.exec("begin immediate")
      return transaction(database, release)
    },
    getConnectionInfo: () => ({ maxBindValues: 999, supportsRelationJoins: false }),
    dispose: async () => undefined,
  }
}

function transaction(database: DatabaseSync, release: () => void): Transaction {
  const end = async (word: "commit" | "rollback") => {
    try {
      database.exec(word)
    } finally {
      release()
    }
  }
  const run = async (text: string) => database.exec(text)
  return {
    ...queryable(database),
    options: { usePhantomQuery: true },
    commit: () => end("commit"),
    rollback: () => end("rollback"),
    createSavepoint: (savepoint) => run(`savepoint ${savepoint}`),
    rollbackToSavepoint: (savepoint) => run(`rollback to ${savepoint}`),
    releaseSavepoint: (savepoint) => run(`release savepoint ${savepoint}`),
  }
}

/** Runs one caller at a time. */
class Turns {
  #last: Promise<unknown> = Promise.resolve()

  async hold(): Promise<() => void> {
    const before = this.#last
    const turn = Promise.withResolvers<void>()
    this.#last = turn.promise
    await before
    return turn.resolve
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.hold()
    try {
      return await work()
    } finally {
      release()
    }
  }
}

function queryable(database: DatabaseSync): SqlQueryable {
  return {
    ...name,
    queryRaw: async (query) => attempt(() => read(database, query)),
    executeRaw: async ({ sql, args, argTypes }) =>
      attempt(() => Number(prepare(database, sql).run(...toParameters(args, argTypes)).changes)),
  }
}

function prepare(database: DatabaseSync, text: string): StatementSync {
  const statement = database.prepare(text)
  statement.setReadBigInts(true)
  return statement
}

function read(database: DatabaseSync, { sql, args, argTypes }: SqlQuery): SqlResultSet {
  const statement = prepare(database, sql)
  statement.setReturnArrays(true)
  // With `setReturnArrays` each row is an array; the types do not reflect that.
  const rows = statement.all(...toParameters(args, argTypes)) as unknown as SQLOutputValue[][]
  const columns = statement.columns()
  const columnTypes = columns.map(({ type }, index) => columnType(type, rows, index))
  return {
    columnNames: columns.map((column) => column.name),
    columnTypes,
    rows: rows.map((row) => row.map((value, index) => toResult(value, columnTypes[index]))),
  }
}

function toParameters(
  args: readonly unknown[],
  types: readonly ArgType[],
): (string | number | bigint | null | Uint8Array)[] {
  return args.map((arg, index) => toParameter(arg, types[index]?.scalarType))
}

function toParameter(
  arg: unknown,
  type: ArgType["scalarType"] | undefined,
): string | number | bigint | null | Uint8Array {
  if (arg === null || arg === undefined) return null
  if (typeof arg === "boolean") return arg ? 1 : 0
  if (arg instanceof Date) return toInstant(arg)
  if (typeof arg === "string") {
    if (type === "datetime") return toInstant(new Date(arg))
    return type === "bigint" ? BigInt(arg) : arg
  }
  if (typeof arg === "number" || typeof arg === "bigint" || arg instanceof Uint8Array) return arg
  throw new TypeError(`SQLite has no parameters of type ${typeof arg}`)
}

/** The format of Prisma's own adapters. */
function toInstant(date: Date): string {
  return date.toISOString().replace("Z", "+00:00")
}

const declaredTypes: Readonly<Record<string, ColumnType>> = {
  INTEGER: ColumnTypeEnum.Int32,
  BIGINT: ColumnTypeEnum.Int64,
  BOOLEAN: ColumnTypeEnum.Boolean,
  DATETIME: ColumnTypeEnum.DateTime,
  TEXT: ColumnTypeEnum.Text,
  JSONB: ColumnTypeEnum.Json,
}

/** Computed columns have no declared type, so the type comes from the values. */
function columnType(declared: string | null, rows: readonly SQLOutputValue[][], index: number): ColumnType {
  const known = declaredTypes[declared?.toUpperCase() ?? ""]
  if (known !== undefined) return known
  const value = rows.map((row) => row[index]).find((one) => one !== null && one !== undefined)
  if (typeof value === "bigint") return ColumnTypeEnum.Int64
  return typeof value === "number" ? ColumnTypeEnum.Double : ColumnTypeEnum.Text
}

function toResult(value: SQLOutputValue | undefined, type: ColumnType | undefined): unknown {
  if (value === null || value === undefined) return null
  if (type === ColumnTypeEnum.Boolean) return Number(value) === 1
  if (type === ColumnTypeEnum.Int32) return Number(value)
  return typeof value === "bigint" ? String(value) : value
}

function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error) || !("errcode" in error)) throw error
    throw new DriverAdapterError(mapped(Number(error.errcode), error.message))
  }
}

/** @see https://www.sqlite.org/rescode.html */
function mapped(extendedCode: number, message: string): ConstructorParameters<typeof DriverAdapterError>[0] {
  const original = { originalCode: String(extendedCode), originalMessage: message }
  const fields =
    message
      .split(": ")[1]
      ?.split(", ")
      .map((column) => column.split(".")[1] ?? column) ?? []
  if (extendedCode === 2067 || extendedCode === 1555) {
    return { kind: "UniqueConstraintViolation", constraint: { fields }, ...original }
  }
  if (extendedCode === 1299) return { kind: "NullConstraintViolation", constraint: { fields }, ...original }
  if (extendedCode === 787) {
    return { kind: "ForeignKeyConstraintViolation", constraint: { foreignKey: {} }, ...original }
  }
  return { kind: "sqlite", extendedCode, message, ...original }
}
