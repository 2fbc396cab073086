import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  argon2Hasher,
  type PasswordCheck,
  type PasswordHasher,
  type PasswordStore,
  passwordCheck,
  passwordStore,
  scryptHasher,
} from "./passwords.js"

let database: DatabaseSync
let store: PasswordStore
let check: PasswordCheck

beforeEach(async () => {
  database = new DatabaseSync(":memory:")
  store = passwordStore(database)
  check = passwordCheck(store)
  store.create("ada", { userId: "user-1", hash: await check.hash("lovelace-1843") })
})

afterEach(() => database.close())

describe("findUser", () => {
  it.each([
    ["ada", "wrong"],
    ["ada", ""],
    ["", "lovelace-1843"],
    ["grace", "lovelace-1843"],
    ["ada", ["lovelace-1843"]],
    [{ $ne: "" }, "lovelace-1843"],
    ["ada", undefined],
    ["ada", "x".repeat(100_000)],
  ])("returns null for %j and %j", async (username, password) => {
    expect(await check.findUser(username, password)).toBeNull()
  })

  it("finds the user by name and password, ignoring the case of the name", async () => {
    expect(await check.findUser("ada", "lovelace-1843")).toBe("user-1")
    expect(await check.findUser(" Ada ", "lovelace-1843")).toBe("user-1")
  })

  it("verifies a hash for an unknown user too", async () => {
    const verified: string[] = []
    const hasher: PasswordHasher = {
      name: "scrypt",
      hash: async () => "decoy",
      verify: async (hash) => verified.push(hash) < 0,
    }
    const watched = passwordCheck(
      store,
      vi.fn(async () => hasher),
    )
    await watched.findUser("ada", "wrong")
    await watched.findUser("grace", "wrong")
    expect(verified).toEqual([store.find("ada")?.hash, "decoy"])
  })
})

describe("passwordStore", () => {
  it("does not assign a user name twice", () => {
    expect(store.create("ada", { userId: "user-2", hash: "other" })).toBe(false)
    expect(store.find("ada")?.userId).toBe("user-1")
    expect(store.findUsername("user-2")).toBeNull()
  })

  it("finds the name of a user", () => {
    expect(store.findUsername("user-1")).toBe("ada")
  })
})

describe.each([
  ["argon2id", argon2Hasher],
  ["scrypt", async () => scryptHasher()],
] as const)("%s", (name, create) => {
  it("rejects other passwords", async () => {
    const hasher = await create()
    const hash = await hasher.hash("lovelace-1843")
    for (const other of ["", "lovelace-1842", "Lovelace-1843"]) {
      expect(await hasher.verify(hash, other)).toBe(false)
    }
  })

  it("throws for a damaged hash or one of another algorithm", async () => {
    const hasher = await create()
    for (const hash of ["", "$bcrypt$10$abc", "$scrypt$ln=17,r=8,p=1$c2FsdA$c2hvcnQ", "lovelace-1843"]) {
      await expect(hasher.verify(hash, "lovelace-1843")).rejects.toThrow()
    }
  })

  it("verifies a password, and uses a new salt for each hash", async () => {
    const hasher = await create()
    const password = "pässwörd 🔑 \u202e"
    const [one, other] = await Promise.all([hasher.hash(password), hasher.hash(password)])
    expect(one).not.toBe(other)
    expect(one.startsWith(`$${name}$`)).toBe(true)
    expect(await hasher.verify(one, password)).toBe(true)
    expect(await hasher.verify(other, password)).toBe(true)
  })
})
