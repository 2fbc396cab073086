import { describe, expect, it } from "vitest"
import { argon2Hasher } from "./argon2-hasher.js"
import { scryptHasher } from "./scrypt-hasher.js"

describe.each([
  ["argon2id", argon2Hasher],
  ["scrypt", async () => scryptHasher()],
] as const)("%s", (name, create) => {
  it("refuses every other password", async () => {
    const hasher = await create()
    const hash = await hasher.hash("lovelace-1843")
    for (const other of ["", "lovelace-1842", "Lovelace-1843"]) {
      expect(await hasher.verify(hash, other)).toBe(false)
    }
  })

  it("throws on a hash of another algorithm or a damaged one", async () => {
    const hasher = await create()
    for (const hash of ["", "$bcrypt$10$abc", "$scrypt$ln=17,r=8,p=1$c2FsdA$c2hvcnQ", "lovelace-1843"]) {
      await expect(hasher.verify(hash, "lovelace-1843")).rejects.toThrow()
    }
  })

  it("recognises a password again, with another salt each time", async () => {
    const hasher = await create()
    const password = "pässwörd 🔑 \u202e"
    const [one, other] = await Promise.all([hasher.hash(password), hasher.hash(password)])
    expect(one).not.toBe(other)
    expect(one.startsWith(`$${name}$`)).toBe(true)
    expect(await hasher.verify(one, password)).toBe(true)
    expect(await hasher.verify(other, password)).toBe(true)
  })
})
