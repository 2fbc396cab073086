import { describe, expect, it } from "vitest"
import { findWeakness, keepKeys } from "./keys.js"

describe("keepKeys", () => {
  it("derives a key again after a failure", async () => {
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

  it("keeps one key for each pair of secret and purpose, even if both joined are equal", () => {
    const keys = keepKeys((secret, purpose) => ({ secret, purpose }))
    keys.get("ab", "c")
    expect(keys.get("a", "bc")).toEqual({ secret: "a", purpose: "bc" })
    expect(keys.get("ab", "c")).toBe(keys.find("ab", "c"))
    expect(keys.find("b", "c")).toBeUndefined()
  })

  it("keeps a bounded number of secrets and purposes", () => {
    const keys = keepKeys(() => ({}))
    for (let n = 0; n < 300; n++) {
      keys.get(`secret ${n}`, "p")
      keys.get("s", `purpose ${n}`)
    }
    expect([keys.find("secret 0", "p"), keys.find("s", "purpose 0")]).toEqual([undefined, undefined])
    expect(keys.find("s", "purpose 299")).toBeDefined()
  })
})

describe("findWeakness", () => {
  it.each([
    ["the beginning of a random secret", "abcdef".padEnd(32, "a"), null],
    ["different characters after a uniform beginning", "bcdef".padStart(32, "a"), null],
    ["characters outside of ASCII", "äöüéèß".padEnd(32, "ä"), null],
    ["five characters", "abcde".repeat(7), "made of a few repeated characters"],
    ["three characters of two code units each", "🔑🔒🔓".repeat(11), "made of a few repeated characters"],
  ])("counts different characters: %s", (_, secret, expected) => {
    expect(findWeakness(secret)).toBe(expected)
  })
})
