import { createHash } from "node:crypto"
import type { Adapter, ImportedUser } from "@latchkey/core/adapters"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { afterAll, describe, expect, it } from "vitest"
import { createApp, hash, hashOf, newPath, readReport, removeFiles, writeLines } from "./app.js"

afterAll(removeFiles)

const count = 30
const users = Array.from({ length: count }, (_, index) => ({
  id: `u${index}`,
  email: `u${index}@example.com`,
  emailVerified: "2024-01-01T00:00:00Z",
  accounts: [{ provider: "github", providerAccountId: String(index) }],
  password: hashOf(index),
  totp: index % 10 === 0 ? [{ secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" }] : [],
}))
/** Two lines that are refused, one of them in the last batch. */
const lines = [...users.slice(0, 20), "{", ...users.slice(20), { id: "again", email: "u0@example.com" }]

/** All that a store has about the users, without what is random. */
async function readState(adapter: Adapter): Promise<string> {
  const all = await Promise.all(
    users.map(async ({ id, email }) => [
      await adapter.getUser?.(id),
      await adapter.listAccountsByUserId?.(id),
      (await adapter.getPassword?.(id))?.hash,
      (await adapter.listFactors?.(id))?.map(({ kind }) => kind),
      await adapter.isEmailVerified?.({ id, email }),
    ]),
  )
  return createHash("sha256").update(JSON.stringify(all)).digest("hex")
}

/** The methods that write, each of which may be the last that the process got to. */
const writes = [
  "createUser",
  "linkAccount",
  "setPassword",
  "createFactor",
  "markEmailVerified",
  "keepTemporary",
] as const

class Killed extends Error {}

/** An adapter whose process ends at one of its writes, in the middle of a transaction or of none. */
function killAt(adapter: Adapter, point: number, transaction: Adapter["transaction"]): Adapter {
  const state = { left: point }
  const wrap = (target: Adapter): Adapter =>
    new Proxy(target, {
      get(inner, name) {
        if (name === "storeImported") return undefined
        if (name === "transaction") return transaction && ((work: never) => transaction((within) => run(work, within)))
        const method: unknown = Reflect.get(inner, name)
        if (typeof method !== "function") return method
        return async (...given: readonly unknown[]) => {
          // From then on, nothing arrives.
          if (state.left > 0 && writes.some((write) => write === name)) state.left -= 1
          if (state.left === 0) throw new Killed("killed")
          return Reflect.apply(method, inner, given)
        }
      },
    })
  const run = (work: (within: Adapter) => Promise<unknown>, within: Adapter) => work(wrap(within))
  return wrap(adapter)
}

const points = Array.from({ length: 20 }, (_, index) => 1 + index * 7)

describe("latchkey import that is interrupted", () => {
  it("MIG-06: ends in the same state when it is killed at any point and goes on, with one report", async () => {
    const path = writeLines(lines)
    const whole = createApp()
    const wholeReport = newPath()
    expect((await whole.run(path, "--batch", "7", "--report", wholeReport)).code).toBe(1)
    const expected = await readState(whole.adapter)
    for (const point of points) {
      const store = sqlite(":memory:")
      const report = newPath()
      const args = ["--batch", "7", "--report", report]
      const killed = await createApp(killAt(store, point, store.transaction)).run(path, ...args)
      expect([point, killed.code]).toEqual([point, 2])
      const { code, output } = await createApp(store).run(path, ...args, "--resume")
      expect([point, code, await readState(store)]).toEqual([point, 1, expected])
      expect([point, readReport(report)]).toEqual([point, readReport(wholeReport)])
      if (point > 60) expect(output).toContain("Goes on after")
    }
  })

  it("MIG-06: completes the user that a store without transactions has in part", async () => {
    const path = writeLines(lines)
    const whole = createApp()
    await whole.run(path)
    const expected = await readState(whole.adapter)
    for (const point of points.filter((_, index) => index % 2 === 0)) {
      const { transaction: _, ...store } = sqlite(":memory:")
      // A killed process removes nothing.
      const dying = killAt({ ...store, deleteUser: async () => null }, point, undefined)
      expect((await createApp(dying).run(path, "--batch", "7")).code).toBe(2)
      expect((await createApp(store).run(path, "--batch", "7", "--resume")).code).toBe(1)
      expect([point, await readState(store)]).toEqual([point, expected])
    }
  })

  it("MIG-06: ends in the same state when it runs twice, and twice at once", async () => {
    const path = writeLines(lines)
    const one = createApp()
    await one.run(path, "--batch", "7")
    const expected = await readState(one.adapter)
    const again = await one.run(path, "--batch", "7")
    expect([again.code, await readState(one.adapter)]).toEqual([1, expected])
    expect(again.output).toContain("30 are here already")
    const both = createApp()
    await Promise.all([both.run(path, "--batch", "3"), both.run(path, "--batch", "5"), both.run(path, "--batch", "1")])
    expect(await readState(both.adapter)).toBe(expected)
  })

  it("MIG-06: leaves users as they are who signed in during it, or changed here since", async () => {
    const path = writeLines(lines)
    const { adapter, run } = createApp()
    const account = { provider: "github", providerAccountId: "25" }
    await adapter.createUser?.({ id: "own", email: "mine@example.com", emailVerified: null })
    await adapter.linkAccount?.({ ...account, userId: "own", type: "oauth" })
    await run(path)
    expect(await adapter.getUserByAccount?.(account)).toMatchObject({ id: "own" })
    await adapter.updateUser?.({ id: "u1", name: "New", email: "new@example.com" })
    await adapter.unlinkAccount?.({ provider: "github", providerAccountId: "1" })
    await adapter.setPassword?.({ userId: "u1", hash, changedAt: new Date(), from: hashOf(1) })
    await adapter.deletePassword?.("u2")
    const { output } = await run(path)
    expect(output).toContain("Of those, 1 has another address here")
    expect(await adapter.getUser?.("u1")).toMatchObject({ name: "New", email: "new@example.com" })
    expect(await adapter.listAccountsByUserId?.("u1")).toEqual([])
    expect(await adapter.getPassword?.("u1")).toMatchObject({ hash })
    expect(await adapter.getPassword?.("u2")).toBeNull()
  })
})

describe("the store of latchkey import", () => {
  it("gets many users in few statements, all or none", async () => {
    const store = sqlite(":memory:")
    const calls: number[] = []
    const all: unknown = Reflect.get(store, "storeImported")
    const watched = new Proxy(store, {
      get(target, name) {
        if (name !== "transaction") return Reflect.get(target, name)
        return (work: (within: Adapter) => Promise<unknown>) =>
          store.transaction?.((within) =>
            work(
              Object.assign({}, within, {
                storeImported(given: readonly ImportedUser[]) {
                  calls.push(given.length)
                  return Reflect.apply(Reflect.get(within, "storeImported"), within, [given])
                },
              }),
            ),
          )
      },
    })
    await createApp(watched).run(writeLines(users))
    expect([typeof all, calls]).toEqual(["function", [count]])
    expect(await store.getUser("u29")).toMatchObject({ email: "u29@example.com" })
  })

  it("is refused if it generates the ids of users, unless --map writes them down", async () => {
    const store = sqlite(":memory:")
    const generating = (target: Adapter): Adapter => ({
      ...target,
      ...withoutBulk,
      createUser: (user) => target.createUser?.({ ...user, id: `own-${user.id}` }) ?? user,
      transaction: (work) => store.transaction?.((within) => work(generating(within))) ?? work(target),
    })
    const { run } = createApp(generating(store))
    const path = writeLines(users)
    const refused = await run(path, "--skip", "factors")
    expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining("--map")])
    expect(await store.getUser("own-u0")).toBeNull()
    const map = newPath("ids.jsonl")
    expect((await run(path, "--skip", "factors", "--map", map)).code).toBe(0)
    expect(readReport(map)).toContainEqual({ from: "u29", to: "own-u29" })
    expect(await store.getUserByAccount({ provider: "github", providerAccountId: "29" })).toMatchObject({
      id: "own-u29",
    })
    const again = await run(path, "--skip", "factors", "--map", map)
    expect([again.code, again.output]).toEqual([0, expect.stringContaining("30 are here already")])
  })
})

const withoutBulk = { storeImported: undefined }
