import { isUniqueViolation } from "../failure/is-unique-violation.js"
import { PrismaFailure } from "../failure/prisma-failure.js"
import type { RunQuery } from "../failure/run-query.js"
import type { PrismaModel } from "../prisma-client.js"
import type { ModelName } from "./contract-fields.js"
import { fromFieldValue, toFieldValue } from "./field-value.js"
import { type ModelField, modelFields } from "./model-fields.js"

/** Prisma's code for a value that a column cannot hold. */
const invalidInput = "P2007"

/** Fields of a record that together find rows. */
export type Key = Readonly<Record<string, unknown>>

type Row = Readonly<Record<string, unknown>>

/** What is used of a model's methods; their own types are made from a schema that is not known here. */
interface Queries {
  findFirst(query: { where: Row; include?: Readonly<Record<string, true>> }): PromiseLike<Row | null>
  findMany(query: { where: Row }): PromiseLike<Row[]>
  create(query: { data: Row }): PromiseLike<Row>
  updateMany(query: { where: Row; data: Row }): PromiseLike<{ readonly count: number }>
  deleteMany(query: { where: Row }): PromiseLike<{ readonly count: number }>
}

/** The rows of one model as records of the contract. The database alone decides between callers that come at once. */
export class ModelRecords<T> {
  readonly #model: ModelName
  readonly #queries: Queries
  readonly #fields: ReadonlyMap<string, ModelField>
  readonly #run: RunQuery

  /** @throws TypeError that names the model and the field when the schema lacks one */
  constructor(model: ModelName, client: PrismaModel, run: RunQuery) {
    this.#model = model
    this.#queries = client as unknown as Queries // as: for a schema that has the contract's fields
    this.#fields = modelFields(model, client.fields)
    this.#run = run
  }

  has(field: string): boolean {
    return this.#fields.has(field)
  }

  async find(key: Key): Promise<T | null> {
    const where = this.#where(key)
    if (where === null) return null
    const row = await this.#lookUp("findFirst", null, () => this.#queries.findFirst({ where }))
    return row !== null && this.#isSame(row, where) ? this.read(row) : null
  }

  /** The row and the one that it belongs to, by the name of the relation. */
  async findWith(key: Key, relation: string): Promise<{ readonly row: T; readonly owner: Row } | null> {
    const where = this.#where(key)
    if (where === null) return null
    const query = { where, include: { [relation]: true } as const }
    const row = await this.#lookUp("findFirst", null, () => this.#queries.findFirst(query))
    if (row === null || !this.#isSame(row, where)) return null
    return { row: this.read(row), owner: row[relation] as Row } // as: that is what was asked for
  }

  async list(key: Key): Promise<T[]> {
    const where = this.#where(key)
    if (where === null) return []
    const rows = await this.#lookUp("findMany", [], () => this.#queries.findMany({ where }))
    return rows.filter((row) => this.#isSame(row, where)).map((row) => this.read(row))
  }

  /** Writes the fields that the model has. Throws when a unique field has the value already. */
  async insert(record: object): Promise<T> {
    const data = this.#valuesOf(record)
    return this.read(await this.#ask("create", () => this.#queries.create({ data })))
  }

  /** Whether this caller has made the row: false where one with the key is there already. */
  async insertOnce(record: object): Promise<boolean> {
    try {
      await this.insert(record)
      return true
    } catch (error) {
      if (isUniqueViolation(error)) return false
      throw error
    }
  }

  /** Null when there is no such row; never makes one. */
  async update(key: Key, changes: object): Promise<T | null> {
    const where = this.#where(key)
    const data = this.#valuesOf(changes)
    if (where !== null && Object.keys(data).length > 0) await this.#updateMany(where, data)
    return await this.find(key)
  }

  /** Sets a number, unless a larger one is there already. Null when there is no such row. */
  async raise(key: Key, field: string, value: number): Promise<T | null> {
    const where = this.#where(key)
    const data = this.#valuesOf({ [field]: value })
    if (where !== null) await this.#updateMany({ ...where, [field]: { lt: data[field] } }, data)
    return await this.find(key)
  }

  /** The row, to the one caller whose statement has removed it; null to all others. */
  async remove(key: Key): Promise<T | null> {
    const where = this.#where(key)
    const found = await this.find(key)
    if (where === null || found === null) return null
    return (await this.#deleteMany(where)) > 0 ? found : null
  }

  /** Removes the rows whose date lies before the instant, and says how many they were. */
  removeBefore(field: string, instant: Date): Promise<number> {
    return this.#deleteMany({ [field]: { lt: instant } })
  }

  read(row: Row): T {
    const record: Record<string, unknown> = {}
    for (const [name, field] of this.#fields) {
      const value = fromFieldValue(row[name], field)
      if (value !== null || field.presence !== "optional") record[name] = value
    }
    return record as T // as: the fields of a model are those of its record
  }

  async #ask<R>(method: keyof Queries, query: () => PromiseLike<R>): Promise<R> {
    return await this.#run({ name: `${this.#model}.${method}`, fields: this.#fields }, query)
  }

  /** Nothing where the column cannot hold the key, as a `uuid` cannot hold every text: Prisma does not tell before. */
  async #lookUp<R>(method: keyof Queries, nothing: R, query: () => PromiseLike<R>): Promise<R> {
    try {
      return await this.#ask(method, query)
    } catch (error) {
      if (error instanceof PrismaFailure && error.code === invalidInput) return nothing
      throw error
    }
  }

  async #updateMany(where: Row, data: Row): Promise<void> {
    await this.#ask("updateMany", () => this.#queries.updateMany({ where, data }))
  }

  async #deleteMany(where: Row): Promise<number> {
    return (await this.#ask("deleteMany", () => this.#queries.deleteMany({ where }))).count
  }

  /**
   * Null where no row can have the key: Prisma would answer with an error, which a visitor could provoke with a cookie,
   * or take it for an operator.
   */
  #where(key: Key): Row | null {
    const where: Record<string, unknown> = {}
    for (const [name, wanted] of Object.entries(key)) {
      const value = typeof wanted === "string" ? toFieldValue(wanted, this.#field(name)) : undefined
      if (value === undefined) return null
      where[name] = value
    }
    return where
  }

  /** To the last character, whatever the collation of the column. */
  #isSame(row: Row, where: Row): boolean {
    return Object.entries(where).every(([name, value]) => row[name] === value)
  }

  /** The fields that the model has; what a record has besides goes nowhere. */
  #valuesOf(record: object): Row {
    const values: Record<string, unknown> = {}
    for (const [name, given] of Object.entries(record)) {
      const field = this.#fields.get(name)
      if (field === undefined || given === undefined) continue
      const value = toFieldValue(given, field)
      if (value === undefined) throw new TypeError(`${name} must be a ${describe(field)} that its field can hold`)
      values[name] = value
    }
    return values
  }

  #field(name: string): ModelField {
    const field = this.#fields.get(name)
    if (field === undefined) throw new TypeError(`prisma.${this.#model}: the model has no field ${name}`)
    return field
  }
}

function describe({ kind, typeName }: ModelField): string {
  return kind === "own" ? typeName : kind
}
