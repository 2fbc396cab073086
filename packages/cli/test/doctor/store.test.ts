import { describe, expect, it, vi } from "vitest"
import { checkStore } from "../../src/doctor/store.js"
import { liveOf } from "./live.js"

/** The findings of a store with these methods, and the calls of them. */
async function check(methods: Readonly<Record<string, (...given: never[]) => unknown>>) {
  const calls: string[] = []
  const adapter = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (...given: never[]) => {
        calls.push(name)
        return method(...given)
      },
    ]),
  )
  const { findings } = await checkStore(liveOf({ adapter }))
  return { findings, calls, codes: findings.map(({ code }) => code) }
}

const fail = (message: string) => async () => {
  throw new Error(message)
}

describe("checkStore of latchkey doctor", () => {
  it("looks for nothing without an adapter", async () => {
    expect(await checkStore(liveOf({}))).toEqual({ findings: [], unchecked: [] })
  })

  it("DOC-04: writes one value that expires within a minute, and takes it", async () => {
    const kept = new Map<string, string>()
    const keepTemporary = vi.fn(async ({ id, value }: { id: string; value: string; expires: Date }) =>
      kept.set(id, value),
    )
    const takeTemporary = async (id: string) => {
      const value = kept.get(id) ?? null
      kept.delete(id)
      return value
    }
    const forbidden = ["createUser", "createSession", "createVerificationToken", "linkAccount", "consumeOnce"]
    const others = Object.fromEntries(forbidden.map((name) => [name, fail("not allowed")]))
    const { findings, calls } = await check({ keepTemporary, takeTemporary, ...others })
    expect([findings, calls, kept.size]).toEqual([[], ["keepTemporary", "takeTemporary", "takeTemporary"], 0])
    const { expires } = keepTemporary.mock.calls[0]?.[0] ?? {}
    expect(expires?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000)
  })

  it("finds a store that lets a value be taken twice, or loses it", async () => {
    const keepTemporary = async () => undefined
    expect((await check({ keepTemporary, takeTemporary: async () => "latchkey-doctor" })).codes).toEqual([
      "store-forgets",
    ])
    expect((await check({ keepTemporary, takeTemporary: async () => null })).codes).toEqual(["store-forgets"])
    expect((await check({ consumeOnce: async () => true })).codes).toEqual(["store-forgets"])
    const answers = [true, false]
    const consumeOnce = async () => answers.shift()
    expect((await check({ consumeOnce })).codes).toEqual([])
  })

  it("only reads with a published adapter, and sorts what it throws", async () => {
    const reading = {
      getUserByEmail: async () => null,
      getUserByAccount: async () => null,
      getSessionAndUser: async () => null,
    }
    expect(await check(reading)).toMatchObject({ findings: [], calls: Object.keys(reading) })
    expect((await check({ ...reading, getUserByAccount: fail('relation "Account" does not exist') })).codes).toEqual([
      "tables",
    ])
    expect((await check({ getUserByEmail: fail("Unknown column 'email' in 'field list'") })).codes).toEqual(["columns"])
    const wrapped = async () => {
      throw new Error("Failed query: select * from users", { cause: new Error('relation "users" does not exist') })
    }
    expect((await check({ getUserByEmail: wrapped })).findings).toMatchObject([
      { code: "tables", sentence: 'The store failed: relation "users" does not exist.' },
    ])
    for (const other of ['database "app" does not exist', 'role "app" does not exist'])
      expect((await check({ getUserByEmail: fail(other) })).codes).toEqual(["store-unreachable"])
    const { findings } = await check({ getUserByEmail: fail("connect ECONNREFUSED 127.0.0.1:5432") })
    expect(findings).toMatchObject([
      { code: "store-unreachable", severity: "error", fixes: [{ where: "config", file: "auth.ts", line: 1 }] },
    ])
  })

  it("tells tables from columns that are missing", async () => {
    const findMissingTables = async () => ["Spent", "Factor", "Authenticator.name"]
    const { findings } = await check({ findMissingTables })
    expect(findings.map(({ code, sentence, fixes }) => [code, sentence, fixes[0]?.text])).toEqual([
      ["tables", "The database lacks Spent, Factor.", "npx --no latchkey migrate"],
      ["columns", "The database lacks the columns Authenticator.name.", "npx --no latchkey migrate"],
    ])
  })

  it("shows what the adapter finds wrong, with the statement that mends it", async () => {
    const defects = [
      { kind: "index", sentence: "User has no unique index", statement: "create unique index" },
      { kind: "eviction", sentence: "Redis evicts" },
      { kind: "column", sentence: "A column is too short" },
      { kind: "unknown", sentence: "Of another version" },
    ]
    const { findings } = await check({ findStoreDefects: async () => defects })
    expect(findings.map(({ code, fixes }) => [code, fixes[0]?.text])).toEqual([
      ["indexes", "create unique index"],
      ["store-eviction", "Change what the sentence names."],
      ["columns", "npx --no latchkey migrate"],
    ])
  })

  it("names the line of the adapter where code mends it, and the guide of key-value stores", async () => {
    const statement = "createStorage({ driver: redisDriver({ url }) }), or another driver that keeps records"
    const defects = [{ kind: "persistence", sentence: "The driver memory keeps records in one process", statement }]
    const { findings } = await check({ findStoreDefects: async () => defects })
    const fixes = [{ where: "config", text: expect.stringContaining("createStorage({"), file: "auth.ts", line: 1 }]
    expect(findings).toMatchObject([
      { code: "store-persistence", guide: ["Databases", "Key-value stores"], severity: "warning", fixes },
    ])
  })
})
