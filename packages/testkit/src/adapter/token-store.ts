import type { TokenStore } from "@latchkey/core/adapters"
import { describe, expect, it } from "vitest"
import { memoryAdapter } from "./memory-adapter.js"

/** A token store in memory. */
export interface MemoryTokenStore extends TokenStore {
  /** What it holds, by key. */
  readonly values: Map<string, { readonly text: string; readonly expires: Date }>
}

/** Creates a token store for the tests of a service. */
export function memoryTokenStore(): MemoryTokenStore {
  const values: MemoryTokenStore["values"] = new Map()
  const { takeLease, dropLease } = memoryAdapter()
  const get = (key: string): string | null => {
    const found = values.get(key)
    return found && found.expires.valueOf() > Date.now() ? found.text : null
  }
  return {
    values,
    get,
    replace(key, { from, to, expires }) {
      if (get(key) !== from) return false
      if (to === null) values.delete(key)
      else values.set(key, { text: to, expires })
      return true
    },
    takeLease,
    dropLease,
  }
}

const inAMinute = (): Date => new Date(Date.now() + 60_000)
const unique = (): string => crypto.randomUUID()

/**
 * Registers the tests that a token store of `accessTokens` has to pass.
 * @param open Returns the store. Tests use keys of their own, and may share it.
 */
export function testTokenStore(name: string, open: () => TokenStore | Promise<TokenStore>): void {
  describe(name, () => {
    it("returns what was written, until it is removed", async () => {
      const [store, key, text] = [await open(), unique(), `text ${"x".repeat(20_000)}`]
      expect(await store.get(key)).toBeNull()
      expect(await store.replace(key, { from: null, to: text, expires: inAMinute() })).toBe(true)
      expect([await store.get(key), await store.get(unique())]).toEqual([text, null])
      expect(await store.replace(key, { from: text, to: null, expires: inAMinute() })).toBe(true)
      expect(await store.get(key)).toBeNull()
    })

    it("replaces a value only if it is the expected one", async () => {
      const [store, key] = [await open(), unique()]
      const replace = (from: string | null, to: string | null) =>
        Promise.resolve(store.replace(key, { from, to, expires: inAMinute() }))
      expect(await replace("a", "b")).toBe(false)
      expect(await replace(null, "a")).toBe(true)
      for (const from of [null, "b", "a "]) expect(await replace(from, "c")).toBe(false)
      for (const from of [null, "b"]) expect(await replace(from, null)).toBe(false)
      expect(await store.get(key)).toBe("a")
      expect([await replace("a", "b"), await store.get(key)]).toEqual([true, "b"])
    })

    it("KEEP-01: lets one of 20 callers replace a value", async () => {
      const [store, key] = [await open(), unique()]
      for (const from of [null, "first"]) {
        if (from) await store.replace(key, { from: await store.get(key), to: from, expires: inAMinute() })
        const replaced = await Promise.all(
          Array.from({ length: 20 }, async (_, n) => store.replace(key, { from, to: `${n}`, expires: inAMinute() })),
        )
        expect(replaced.filter(Boolean)).toHaveLength(1)
        expect(await store.get(key)).toBe(String(replaced.indexOf(true)))
      }
    })

    it("forgets a value that has expired", async () => {
      const [store, key] = [await open(), unique()]
      await store.replace(key, { from: null, to: "a", expires: new Date(Date.now() + 30) })
      await expect.poll(() => store.get(key)).toBeNull()
      expect(await store.replace(key, { from: null, to: "b", expires: inAMinute() })).toBe(true)
    })

    it("KEEP-01: gives a lease to one of 20 callers, until it ends", async () => {
      const [store, id] = [await open(), unique()]
      const take = async (holder: string, until = inAMinute()) => store.takeLease({ id, holder, until })
      const taken = await Promise.all(Array.from({ length: 20 }, (_, n) => take(`holder ${n}`)))
      expect(taken.filter(Boolean)).toHaveLength(1)
      const holder = `holder ${taken.indexOf(true)}`
      expect([await take(holder), await take("other")]).toEqual([true, false])
      await store.dropLease({ id, holder: "other" })
      expect(await take("other")).toBe(false)
      await store.dropLease({ id, holder })
      expect(await take("other", new Date(Date.now() + 30))).toBe(true)
      await expect.poll(() => take("third")).toBe(true)
    })
  })
}
