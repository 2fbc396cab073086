import {
  type BatchLimits,
  type Key,
  type Lifetime,
  type RecordFields,
  type RecordName,
  type RecordStore,
  type RowWalk,
  removeInBatches,
} from "@latchkey/adapter-kit"
import { modelFields, type TypeName } from "./model-fields.js"
import { isUniqueViolation, PrismaFailure, type RunQuery } from "./prisma-failure.js"

/** The part of a model's client that the adapter uses. Arguments and results depend on the host's schema. */
export interface PrismaModel {
  /** References to the model's scalar fields, by name. */
  readonly fields: object
  findFirst(query: never): PromiseLike<unknown>
  findMany(query: never): PromiseLike<unknown>
  create(query: never): PromiseLike<unknown>
  createMany(query: never): PromiseLike<unknown>
  updateMany(query: never): PromiseLike<unknown>
  deleteMany(query: never): PromiseLike<unknown>
}

type Row = Readonly<Record<string, unknown>>

interface RowQuery {
  readonly where: Row
  readonly include?: Readonly<Record<string, true>>
  readonly select?: Readonly<Record<string, true>>
  readonly orderBy?: Readonly<Record<string, "asc">>
  readonly skip?: number
}

/** The same methods for a schema that is only known at run time. */
interface Queries {
  findFirst(query: RowQuery): PromiseLike<Row | null>
  findMany(query: Pick<RowQuery, "where" | "include">): PromiseLike<Row[]>
  create(query: { data: Row }): PromiseLike<Row>
  createMany(query: { data: Row; skipDuplicates: true }): PromiseLike<{ readonly count: number }>
  updateMany(query: { where: Row; data: Row }): PromiseLike<{ readonly count: number }>
  deleteMany(query: { where: Row }): PromiseLike<{ readonly count: number }>
}

/** The client does not tell whether its database is a server, or SQLite, which may stop the process during a query. */
const removalBatches: BatchLimits = { firstRows: 100, maxRows: 1000, milliseconds: 20 }

/** A query has a limited number of parameters. */
const maxLockedAtOnce = 1024

/** Prisma's code for a value that a column cannot store. */
const invalidInput = "P2007"

/** How models are queried. */
export interface ModelAccess {
  readonly run: RunQuery
  /** Whether a transaction must begin with a write: one that reads first may fail when it writes. */
  readonly isSqlite: boolean
  /** Whether an error ends the transaction that it is in. */
  readonly isPostgres: boolean
}

/** The relation of accounts and sessions to their user. */
const relation = "user"

/** The rows of one model as records. Every method except `hasField` and `read` returns a promise. */
export class ModelRecords<T> implements RecordStore<T> {
  readonly #model: RecordName
  readonly #queries: Queries
  readonly #fields: RecordFields<TypeName>
  readonly #run: RunQuery
  readonly #isSqlite: boolean
  readonly #isPostgres: boolean

  /** @throws TypeError with the model and the field when the schema lacks one */
  constructor(model: RecordName, client: PrismaModel, { run, isSqlite, isPostgres }: ModelAccess) {
    this.#model = model
    this.#queries = client as unknown as Queries // as: for a schema that has the contract's fields
    this.#fields = modelFields(model, client.fields)
    this.#run = run
    this.#isSqlite = isSqlite
    this.#isPostgres = isPostgres
  }

  hasField(field: string): boolean {
    return this.#fields.has(field)
  }

  async find(key: Key): Promise<T | null> {
    const row = await this.#findRow(key)
    return row && this.read(row)
  }

  /** A record and the row of its user, in one query. Null if the user's id only looks like that of the record. */
  async findWithOwner(key: Key): Promise<{ readonly record: T; readonly owner: Row } | null> {
    const row = await this.#findRow(key, { [relation]: true })
    const owner = row?.[relation] as Row | null | undefined // as: the query includes it
    return row && owner && owner["id"] === row["userId"] ? { record: this.read(row), owner } : null
  }

  async list(key: Key): Promise<T[]> {
    const where = this.#fields.toKeyValues(key)
    return where === null ? [] : (await this.#listRows(where)).map((row) => this.read(row))
  }

  async insert(record: object): Promise<T> {
    const data = this.#fields.toValues(record)
    return this.read(await this.#ask("create", () => this.#queries.create({ data })))
  }

  async insertOnce(record: object): Promise<boolean> {
    if (this.#isPostgres) {
      const query = { data: this.#fields.toValues(record), skipDuplicates: true } as const
      return (await this.#ask("createMany", () => this.#queries.createMany(query))).count > 0
    }
    try {
      await this.insert(record)
      return true
    } catch (error) {
      if (isUniqueViolation(error)) return false
      throw error
    }
  }

  async update(key: Key, changes: object): Promise<T | null> {
    const where = this.#fields.toKeyValues(key)
    const data = this.#fields.toValues(changes)
    if (where === null || Object.keys(data).length === 0) return await this.find(key)
    return (await this.#updateExact(key, where, data)) === null ? null : await this.find(key)
  }

  async updateIf(key: Key, changes: object, lifetime?: Lifetime): Promise<T | null> {
    const data = this.#fields.toValues(changes)
    const where = this.#fields.toKeyValues(key)
    if (where === null || Object.keys(data).length === 0) return await this.find(key)
    const isInTime = lifetime && { expires: "after" in lifetime ? { gt: lifetime.after } : { lte: lifetime.until } }
    const count = await this.#updateExact(key, { ...where, ...isInTime }, data)
    return count ? await this.find(this.#keyOf(key)) : null
  }

  async raise(key: Key, field: string, value: number): Promise<T | null> {
    const where = this.#fields.toKeyValues(key)
    const data = this.#fields.toValues({ [field]: value })
    if (where === null) return null
    const count = await this.#updateExact(key, { ...where, [field]: { lt: data[field] } }, data)
    return count === null ? null : await this.find(key)
  }

  async remove(key: Key): Promise<T | null> {
    const where = this.#fields.toKeyValues(key)
    const found = await this.#findToWrite(key)
    return where !== null && found !== null && (await this.#deleteMany(where)) > 0 ? found : null
  }

  async removeAll(field: string, values: readonly string[]): Promise<number> {
    return values.length === 0 ? 0 : await this.#deleteMany({ [field]: { in: [...values] } })
  }

  /**
   * Writes the key that the rows have already, which locks them in every database. A row that only looks alike is left out: it
   * would get the key.
   */
  async lock(key: Key): Promise<T[]> {
    const where = this.#fields.toKeyValues(key)
    if (where === null) return []
    const [first = ""] = this.#fields.key
    if (this.#isSqlite) await this.#updateMany({ [first]: { in: [] } }, where)
    const ids = (await this.#listRows(where)).map((row) => row[first])
    for (let from = 0; from < ids.length; from += maxLockedAtOnce)
      await this.#updateMany({ ...where, [first]: { in: ids.slice(from, from + maxLockedAtOnce) } }, where)
    return ids.length === 0 ? [] : await this.list(key)
  }

  async removeBefore(field: string, instant: Date): Promise<number> {
    return await removeInBatches(this.#walkRows({ [field]: { lt: instant } }), removalBatches)
  }

  read(row: Row): T {
    return this.#fields.read(row)
  }

  /** The rows in the order of the key's first field, which has an index. */
  #walkRows(isExpired: Row): RowWalk<unknown> {
    const [first = ""] = this.#fields.key
    return {
      findNext: async (from, rows) => {
        const order = { select: { [first]: true }, orderBy: { [first]: "asc" }, skip: rows } as const
        const query = { where: from === null ? {} : { [first]: { gte: from } }, ...order }
        return (await this.#ask("findFirst", () => this.#queries.findFirst(query)))?.[first] ?? null
      },
      removeBetween: (from, to) => {
        const part = { ...(from !== null && { gte: from }), ...(to !== null && { lt: to }) }
        return this.#deleteMany(from === null && to === null ? isExpired : { ...isExpired, [first]: part })
      },
    }
  }

  async #listRows(where: Row): Promise<Row[]> {
    return (await this.#queryRows({ where })).filter((row) => isSame(row, where))
  }

  /** Not the first row alone: an index may tell keys apart that the column takes for equal. */
  async #findRow(key: Key, include?: Readonly<Record<string, true>>): Promise<Row | null> {
    const where = this.#fields.toKeyValues(key)
    if (where === null) return null
    const rows = await this.#queryRows(include === undefined ? { where } : { where, include })
    return rows.find((row) => isSame(row, where)) ?? null
  }

  /**
   * The record that a statement with the key would write. Null if no row has the very same key: a column may compare it loosely.
   * @throws PrismaFailure if the statement would write other rows, too. No condition of Prisma leaves them out.
   */
  async #findToWrite(key: Key): Promise<T | null> {
    const where = this.#fields.toKeyValues(key)
    if (where === null) return null
    const rows = await this.#queryRows({ where })
    const row = rows.find((each) => isSame(each, where))
    if (row === undefined) return null
    if (rows.every((each) => isSame(each, where))) return this.read(row)
    const fields = Object.keys(where).join(", ")
    const message = `${this.#model}: nothing was written, since several rows have ${fields} that the database takes for equal`
    throw new PrismaFailure(`${message}. Give the column an exact collation`, undefined)
  }

  #queryRows(query: Pick<RowQuery, "where" | "include">): Promise<Row[]> {
    return this.#lookUp("findMany", [], () => this.#queries.findMany(query))
  }

  /** Finds nothing where the column cannot store the key, as a `uuid` column cannot store every text. */
  async #lookUp<R>(method: keyof Queries, nothing: R, query: () => PromiseLike<R>): Promise<R> {
    try {
      return await this.#ask(method, query)
    } catch (error) {
      if (error instanceof PrismaFailure && error.code === invalidInput) return nothing
      throw error
    }
  }

  /** The fields of the model's key that a key contains. */
  #keyOf(key: Key): Key {
    return Object.fromEntries(this.#fields.key.map((field) => [field, key[field]]))
  }

  /** Counts the rows that were updated. Null, and nothing is updated, if no row has the very same key. */
  async #updateExact(key: Key, where: Row, data: Row): Promise<number | null> {
    return (await this.#findToWrite(key)) === null ? null : await this.#updateMany(where, data)
  }

  async #updateMany(where: Row, data: Row): Promise<number> {
    return (await this.#ask("updateMany", () => this.#queries.updateMany({ where, data }))).count
  }

  async #deleteMany(where: Row): Promise<number> {
    return (await this.#ask("deleteMany", () => this.#queries.deleteMany({ where }))).count
  }

  #ask<R>(method: keyof Queries, query: () => PromiseLike<R>): Promise<R> {
    const hasField = (field: string) => this.#fields.has(field)
    return this.#run({ name: `${this.#model}.${method}`, hasField }, query)
  }
}

/** Compares exactly, regardless of the collation of the column. */
function isSame(row: Row, where: Row): boolean {
  return Object.entries(where).every(([name, value]) => row[name] === value)
}
