import { createHash } from "node:crypto"
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Adapter, ImportedUser } from "@latchkey/core/adapters"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { afterAll, describe, expect, it } from "vitest"
import {
  createApp,
  expectOneSource,
  hash,
  hashOf,
  newPath,
  readReport,
  removeFiles,
  toUser,
  writeLines,
} from "./app.js"

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

/** The methods that write. A killed process may have stopped after any of them. */
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

  it.each([7, 40])(
    "MIG-06: gives back nothing that a user removed, in a store without transactions (kill at %i)",
    async (point) => {
      const { transaction: _, ...store } = sqlite(":memory:")
      const path = writeLines(lines)
      const dying = killAt({ ...store, deleteUser: async () => null }, point, undefined)
      expect((await createApp(dying).run(path, "--batch", "7")).code).toBe(2)
      await store.unlinkAccount?.({ provider: "github", providerAccountId: "0" })
      await store.deletePassword?.("u0")
      const expectRemoved = async (id: string) => {
        expect(await store.listAccountsByUserId?.(id)).toEqual([])
        expect(await store.getPassword?.(id)).toBeNull()
      }
      const { run } = createApp(store)
      for (const args of [[], ["--resume"], []]) {
        expect((await run(path, ...args)).code).toBe(1)
        await expectRemoved("u0")
        // The import is over: the next one begins again.
        await store.unlinkAccount?.({ provider: "github", providerAccountId: "29" })
        await store.deletePassword?.("u29")
      }
      await expectRemoved("u29")
      expect((await store.listAccountsByUserId?.("u15"))?.length).toBe(1)
      expect(await store.getPassword?.("u15")).toMatchObject({ hash: hashOf(15) })
    },
  )

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

  it("MIG-06: takes each user from one of two sources that are imported at once", async () => {
    await expectOneSource(sqlite(":memory:"))
    const { transaction: _, ...store } = sqlite(":memory:")
    await expectOneSource(store)
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

  it("is asked about many users at once, and tells apart what its own lookups do", async () => {
    const store = sqlite(":memory:")
    const asked: string[] = []
    const watched = new Proxy(store, {
      get(target, name) {
        if (/^(?:get|find)/.test(String(name))) asked.push(String(name))
        return Reflect.get(target, name)
      },
    })
    const many = Array.from({ length: 1500 }, (_, index) => toUser(index))
    const path = writeLines([...many, { id: "u1 ", email: "u1 @example.com" }, { id: "U2" }])
    const { run } = createApp(watched)
    expect((await run(path, "--skip", "passwords", "--batch", "2000")).output).toContain("1,501 users imported")
    await store.updateUser({ id: "u7", email: "new@example.com" })
    const again = await run(path, "--skip", "passwords", "--batch", "2000")
    expect(again.output).toContain("1,501 are here already")
    expect(again.output).toContain("Of those, 1 has another address here")
    expect(asked).toContain("findImported")
    expect(asked.length).toBeLessThan(15)
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
    const refused = await run(path)
    expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining("--map")])
    expect(await store.getUser("own-u0")).toBeNull()
    const map = newPath("ids.jsonl")
    expect((await run(path, "--map", map)).code).toBe(0)
    expect(await store.listFactors?.("own-u20")).toHaveLength(1)
    expect(readReport(map)).toContainEqual({ from: "u29", to: "own-u29", source: "json" })
    expect(await store.getUserByAccount({ provider: "github", providerAccountId: "29" })).toMatchObject({
      id: "own-u29",
    })
    const again = await run(path, "--map", map)
    expect([again.code, again.output]).toEqual([0, expect.stringContaining("30 are here already")])
  })
})

describe("the file of --map", () => {
  it("MIG-06: has each user once, with the id that they got, after kill -9 at any point", async () => {
    const path = writeLines(lines)
    for (const point of [2, 17, 60]) {
      const store = sqlite(":memory:", { ids: "integer" })
      const map = newPath("ids.jsonl")
      const args = ["--batch", "7", "--map", map]
      expect((await createApp(killAt(store, point, store.transaction)).run(path, ...args)).code).toBe(2)
      // Lines of users who were not stored, and half a line: a killed process takes nothing back.
      appendFileSync(map, `{"from":"u28","to":"1"}\n{"from":"u29","to":"2"}\n{"from":"u`)
      expect((await createApp(store).run(path, ...args, "--resume")).code).toBe(1)
      const pairs = readReport(map)
      expect([point, pairs.map(({ from }) => from)]).toEqual([point, users.map(({ id }) => id)])
      for (const { from, to } of pairs)
        expect([from, await store.getUser(String(to))]).toMatchObject([from, { email: `${from}@example.com` }])
    }
  })

  it("MIG-22: is not cut if an interrupted import wrote another one, or --resume is missing", async () => {
    const path = writeLines(lines)
    const store = sqlite(":memory:", { ids: "integer" })
    const map = newPath("ids.jsonl")
    expect((await createApp(killAt(store, 40, store.transaction)).run(path, "--batch", "7", "--map", map)).code).toBe(2)
    const other = newPath("other.jsonl")
    const text = Array.from({ length: 40 }, (_, index) => `{"from":"of another import ${index}","to":"7"}\n`).join("")
    writeFileSync(other, text)
    const { run } = createApp(store)
    for (const args of [["--resume"], []]) {
      const { code, errors } = await run(path, ...args, "--map", other)
      expect([code, errors]).toEqual([2, expect.stringContaining("The file of --map")])
      expect(readFileSync(other, "utf8")).toBe(text)
    }
    expect((await run(path, "--resume", "--map", map)).code).toBe(1)
  })

  it("is refused if it is something else, and left as it is", async () => {
    const store = sqlite(":memory:", { ids: "integer" })
    for (const text of ['{"id":"u1"}\n', "users", '{"from":1,"to":2}\n{"from":"a","to":"b"}\n']) {
      const map = newPath("ids.jsonl")
      writeFileSync(map, text)
      const { code, errors } = await createApp(store).run(writeLines(lines), "--map", map)
      expect([code, errors]).toEqual([2, expect.stringContaining("Line 1 of the file of --map")])
      expect(readFileSync(map, "utf8")).toBe(text)
    }
  })

  it("MIG-22: is written by one import at a time, and the other one changes nothing", async () => {
    const map = newPath("ids.jsonl")
    const runInto = async (id: string) => {
      const store = sqlite(":memory:", { ids: "integer" })
      return { id, store, ...(await createApp(store).run(writeLines([{ id }]), "--map", map)) }
    }
    const ended = await Promise.all([runInto("a"), runInto("b")])
    const [one, other] = ended.toSorted((first, second) => (first.code ?? -1) - (second.code ?? -1))
    expect([one?.code, other?.code]).toEqual([0, 2])
    expect(other?.errors).toContain("Another import writes the file of --map.")
    expect(readReport(map)).toEqual([{ from: one?.id, to: "1", source: "json" }])
    expect(await other?.store.getUser("1")).toBeNull()
    expect(existsSync(`${map}.lock`)).toBe(false)
  })

  it("MIG-22: is refused if it has the ids of another source, whose users may have the same", async () => {
    const map = newPath("ids.jsonl")
    const text = '{"from":"a","to":"1","source":"clerk"}\n'
    writeFileSync(map, text)
    const store = sqlite(":memory:", { ids: "integer" })
    const { code, errors } = await createApp(store).run(writeLines([{ id: "a" }]), "--map", map)
    expect([code, errors]).toEqual([2, expect.stringContaining("the ids of another source")])
    expect([readFileSync(map, "utf8"), await store.getUser("1")]).toEqual([text, null])
  })

  it("goes on after a last line without an end, and is not made by --dry-run", async () => {
    const store = sqlite(":memory:", { ids: "integer" })
    const { run } = createApp(store)
    const map = newPath("ids.jsonl")
    expect((await run(writeLines([{ id: "a" }]), "--map", map, "--dry-run")).code).toBe(0)
    expect(existsSync(map)).toBe(false)
    writeFileSync(map, '{"from":"before","to":"70"}')
    expect((await run(writeLines([{ id: "a" }]), "--map", map)).code).toBe(0)
    expect(readReport(map)).toEqual([
      { from: "before", to: "70" },
      { from: "a", to: "1", source: "json" },
    ])
  })
})

const withoutBulk = { storeImported: undefined }
