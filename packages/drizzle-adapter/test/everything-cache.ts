import { Cache } from "drizzle-orm/cache/core"

/** A cache that keeps every answer for ever, as a host might configure one. */
export class EverythingCache extends Cache {
  asked = 0
  readonly #kept = new Map<string, unknown[]>()

  override strategy(): "all" {
    return "all"
  }

  override async get(key: string): Promise<unknown[] | undefined> {
    this.asked += 1
    return this.#kept.get(key)
  }

  override async put(key: string, response: unknown[]): Promise<void> {
    this.#kept.set(key, response)
  }

  override async onMutate(): Promise<void> {}
}
