import { describe, expect, it } from "vitest"
import { BoundedMap } from "../runtime/cache.js"
import { keepKeys } from "./keys.js"

describe("a bounded map", () => {
  it("forgets its oldest entry when it is full", () => {
    const map = new BoundedMap<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    map.set("a", 3)
    expect(map.get("b")).toBe(2)
    map.set("c", 4)
    expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([undefined, 2, 4, 2])
  })
})

describe("kept keys", () => {
  it("derive again after a derivation failed", async () => {
    let attempts = 0
    const keys = keepKeys(async () => {
      attempts++
      if (attempts === 1) throw new Error("no entropy")
      return { attempts }
    })
    await expect(keys.get("s", "p")).rejects.toThrow("no entropy")
    expect(await keys.get("s", "p")).toEqual({ attempts: 2 })
    expect(keys.find("s", "p")).toEqual({ attempts: 2 })
  })

  it("keep one for each secret and purpose, however they are joined", () => {
    const keys = keepKeys((secret, purpose) => ({ secret, purpose }))
    keys.get("ab", "c")
    expect(keys.get("a", "bc")).toEqual({ secret: "a", purpose: "bc" })
    expect(keys.get("ab", "c")).toBe(keys.find("ab", "c"))
    expect(keys.find("b", "c")).toBeUndefined()
  })

  it("stay bounded whatever number of secrets and purposes is asked for", () => {
    const keys = keepKeys(() => ({}))
    for (let n = 0; n < 300; n++) {
      keys.get(`secret ${n}`, "p")
      keys.get("s", `purpose ${n}`)
    }
    expect([keys.find("secret 0", "p"), keys.find("s", "purpose 0")]).toEqual([undefined, undefined])
    expect(keys.find("s", "purpose 299")).toBeDefined()
  })
})
