import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type PasswordCheck, passwordCheck } from "./password-check.js"
import type { PasswordHasher } from "./password-hasher.js"
import { type PasswordStore, passwordStore } from "./password-store.js"

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
  ])("finds nobody by %j and %j", async (username, password) => {
    expect(await check.findUser(username, password)).toBeNull()
  })

  it("finds the user whom name and password belong to, whatever the case of the name", async () => {
    expect(await check.findUser("ada", "lovelace-1843")).toBe("user-1")
    expect(await check.findUser(" Ada ", "lovelace-1843")).toBe("user-1")
  })

  it("hashes as often for an unknown user as for a known one", async () => {
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
  it("does not give a user name to a second user", () => {
    expect(store.create("ada", { userId: "user-2", hash: "other" })).toBe(false)
    expect(store.find("ada")?.userId).toBe("user-1")
    expect(store.findUsername("user-2")).toBeNull()
  })

  it("finds the user name of a user", () => {
    expect(store.findUsername("user-1")).toBe("ada")
  })
})
