import type { StatementSync } from "node:sqlite"

const limit = 100

/** Keeps prepared statements by their text; at most a hundred, the oldest gives way. */
export class StatementCache {
  readonly #prepare: (text: string) => StatementSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(prepare: (text: string) => StatementSync) {
    this.#prepare = prepare
  }

  get(text: string): StatementSync {
    const known = this.#prepared.get(text)
    if (known !== undefined) return known
    const [oldest] = this.#prepared.keys()
    if (oldest !== undefined && this.#prepared.size >= limit) this.#prepared.delete(oldest)
    const statement = this.#prepare(text)
    this.#prepared.set(text, statement)
    return statement
  }
}
