import type { AdapterSession, AdapterUser } from "@latchkey/core/adapters"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"

/** Like a model of Sequelize: the columns are accessors of the prototype. */
export class Model {
  readonly dataValues: Record<string, unknown>
  constructor(dataValues: Record<string, unknown>) {
    this.dataValues = dataValues
  }
  get id() {
    return this.dataValues["id"]
  }
  get name() {
    return this.dataValues["name"]
  }
  get email() {
    return this.dataValues["email"]
  }
  get role() {
    return this.dataValues["role"]
  }
  set role(role) {
    this.dataValues["role"] = role
  }
  hasRole(role: string) {
    return this.dataValues["role"] === role
  }
}

/** A class of the app itself, with private fields. */
export class Person {
  readonly #id: unknown
  readonly name = "V"
  readonly email = "v@corp.test"
  #role = "admin"
  constructor(id: unknown) {
    this.#id = id
  }
  get id() {
    return this.#id
  }
  get role() {
    return this.#role
  }
  set role(role) {
    this.#role = role
  }
  hasRole(role: string) {
    return this.#role === role
  }
}

/** Like the ObjectId of MongoDB. */
export class ObjectId {
  readonly hex: string
  constructor(hex: string) {
    this.hex = hex
  }
  toString() {
    return this.hex
  }
}

/** Like a document of Mongoose: the library's own state is enumerable, and `toJSON` returns the columns. */
export class StoredUser {
  readonly $__ = { activePaths: "inner" }
  readonly #row: AdapterUser
  constructor(row: AdapterUser) {
    this.#row = row
  }
  get id() {
    return this.#row.id
  }
  get name() {
    return this.#row.name
  }
  get email() {
    return this.#row.email
  }
  get emailVerified() {
    return this.#row.emailVerified
  }
  get image() {
    return this.#row.image
  }
  get role() {
    return Reflect.get(this.#row, "role") ?? "member"
  }
  isMember() {
    return this.role === "member"
  }
  toJSON() {
    return { ...this.#row, role: this.role }
  }
}

/** A stored session of the same library. */
class StoredSession {
  readonly $__ = { activePaths: "inner" }
  readonly #row: AdapterSession
  constructor(row: AdapterSession) {
    this.#row = row
  }
  get sessionToken() {
    return this.#row.sessionToken
  }
  get userId() {
    return this.#row.userId
  }
  get expires() {
    return this.#row.expires
  }
  toJSON() {
    return { ...this.#row, _id: "row-1", device: "phone" }
  }
}

/**
 * An adapter that returns an instance of a class for each user and session of another adapter, and has the ids that
 * `toId` makes of them.
 */
export function instanceAdapter(stored: MemoryAdapter, toId: (id: string) => unknown): MemoryAdapter {
  const wrapped = Object.entries(stored).map(([name, method]) => [
    name,
    typeof method === "function"
      ? async (...args: unknown[]) => {
          const plain = args.map(toTextIds)
          return toInstance(await Reflect.apply(method as (...args: unknown[]) => unknown, undefined, plain), toId)
        }
      : method,
  ])
  return Object.fromEntries(wrapped)
}

/** What a driver does with the ids of its database. */
function toTextIds(value: unknown): unknown {
  if (value instanceof ObjectId || typeof value === "bigint") return String(value)
  if (typeof value !== "object" || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toTextIds(member)]))
}

function toInstance(value: unknown, toId: (id: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((row) => toInstance(row, toId))
  if (typeof value !== "object" || value === null) return value
  const row = { ...value } as Record<string, unknown>
  if ("session" in row) return { session: toInstance(row["session"], toId), user: toInstance(row["user"], toId) }
  if ("userId" in row) row["userId"] = toId(String(row["userId"]))
  // as: these are rows of the memory adapter, with other ids.
  if ("sessionToken" in row) return new StoredSession(row as unknown as AdapterSession)
  if ("emailVerified" in row) return new StoredUser({ ...row, id: toId(String(row["id"])) } as AdapterUser)
  return row
}
