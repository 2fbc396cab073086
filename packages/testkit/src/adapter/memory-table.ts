/** Records of one kind, copied on the way in and out, with fields that are unique together. */
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

  /** @throws Error when a unique value is there already. */
  insert(record: T): T {
    this.#assertUnique(record, this.#records)
    this.#records = [...this.#records, structuredClone(record)]
    return structuredClone(record)
  }

  /** Null when there is no such record. Fields that are undefined stay as they are. */
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

  removeAll(key: Partial<T>): void {
    this.#records = this.#records.filter((record) => !matches(record, key))
  }

  /** A field that is null or absent is like no other, as in SQL: many users may have no email. */
  #assertUnique(record: T, others: readonly T[]): void {
    for (const fields of this.#unique) {
      const isTaken = others.some((other) =>
        fields.every((field) => record[field] != null && other[field] === record[field]),
      )
      if (isTaken) throw new Error(`a ${this.#name} with this ${fields.join(" and ")} exists already`)
    }
  }
}

function matches<T extends object>(record: T, key: Partial<T>): boolean {
  return Object.entries(key).every(([field, value]) => Reflect.get(record, field) === value && value != null)
}

function withoutUndefined<T extends object>(record: Partial<T>): Partial<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Partial<T> // as: same fields
}
