import type { Optional } from "@latchkey/core/types"

/** A table in memory with unique keys. Records are copied on the way in and out. */
export class MemoryTable<T extends object> {
  readonly #name: string
  readonly #unique: readonly (readonly (keyof T)[])[]
  #records: readonly T[] = []

  constructor(name: string, unique: readonly (readonly (keyof T)[])[]) {
    this.#name = name
    this.#unique = unique
  }

  list(key: Partial<T>): T[] {
    return structuredClone(this.#records.filter((record) => matches(record, key)))
  }

  find(key: Partial<T>): T | null {
    return this.list(key)[0] ?? null
  }

  /** @throws Error if no record matches */
  assertHas(key: Partial<T>): void {
    if (!this.#records.some((record) => matches(record, key))) throw new Error(`no such ${this.#name}`)
  }

  /** @throws Error if a unique value exists */
  insert(record: T): T {
    this.#assertUnique(record, this.#records)
    this.#records = [...this.#records, structuredClone(record)]
    return structuredClone(record)
  }

  /** Returns null if no record matches. Undefined fields stay unchanged. */
  update(key: Partial<T>, changes: Partial<T>): T | null {
    const old = this.#records.find((record) => matches(record, key))
    if (old === undefined) return null
    const changed = { ...old, ...withoutUndefined(structuredClone(changes)) }
    const others = this.#records.filter((record) => record !== old)
    this.#assertUnique(changed, others)
    this.#records = this.#records.map((record) => (record === old ? changed : record))
    return structuredClone(changed)
  }

  remove(key: Partial<T>): T | null {
    const found = this.#records.find((record) => matches(record, key))
    this.#records = this.#records.filter((record) => record !== found)
    return found === undefined ? null : structuredClone(found)
  }

  /** Returns how many records it removed. */
  removeAll(key: Partial<T>): number {
    const before = this.#records.length
    this.#records = this.#records.filter((record) => !matches(record, key))
    return before - this.#records.length
  }

  /** Returns a function that brings back the records of now. */
  snapshot(): () => void {
    const records = this.#records
    return () => {
      this.#records = records
    }
  }

  /** Null values are distinct, as in SQL: many users can have no email. */
  #assertUnique(record: T, others: readonly T[]): void {
    for (const fields of this.#unique) {
      const isTaken = others.some((other) =>
        fields.every((field) => record[field] != null && other[field] === record[field]),
      )
      if (isTaken) throw new Error(`a ${this.#name} with this ${fields.join(" and ")} already exists`)
    }
  }
}

function matches<T extends object>(record: T, key: Partial<T>): boolean {
  return Object.entries(key).every(([field, value]) => Reflect.get(record, field) === value && value != null)
}

/** The fields that have a value. */
export function withoutUndefined<T extends object>(record: Optional<T>): Partial<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Partial<T> // as: same fields
}
