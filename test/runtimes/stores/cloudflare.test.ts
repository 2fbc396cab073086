// The stores of Cloudflare, as workerd implements them on this machine.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isUniqueViolation } from "@latchkey/kysely-adapter"
import { type D1Database, d1 } from "@latchkey/kysely-adapter/d1"
import { migrate, schemaSql } from "@latchkey/kysely-adapter/migrations"
import { featureMethods, testAdapter } from "@latchkey/testkit/adapter"
import { UnstorageAdapter } from "@latchkey/unstorage-adapter"
import { type Dialect, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import { createStorage } from "unstorage"
import kvDriver from "unstorage/drivers/cloudflare-kv-binding"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/** The Durable Object, as the guide has it. */
const guide = readFileSync(join(import.meta.dirname, "../../../docs/guides/stores.md"), "utf8")
const [, object = ""] = /^```js\n(import { DurableObject }.*?)^```$/ms.exec(guide) ?? []
const script = `${object}\nexport default { fetch: () => new Response("ready") }`

interface DurableIds {
  idFromName(name: string): object
  get(id: object): { consume(expiresMs: number): Promise<boolean> }
}

/** Each call crosses two processes. */
const callers = 10

let server: Miniflare
let database: D1Database
let fresh: D1Database
let printed: D1Database
let foreign: D1Database
let ids: DurableIds
let kv: object

beforeAll(async () => {
  server = new Miniflare(
    convertV4MiniflareOptions({
      name: "stores",
      cf: false,
      modules: [{ type: "ESModule", path: "stores.mjs", contents: script }],
      compatibilityDate: "2026-11-17",
      d1Databases: ["DB", "FRESH", "PRINTED", "FOREIGN"],
      kvNamespaces: ["KV"],
      durableObjects: { IDS: "ConsumedId" },
    }),
  )
  database = (await server.getD1Database("DB")) as unknown as D1Database // as: the adapter names what it uses of it
  fresh = (await server.getD1Database("FRESH")) as unknown as D1Database
  printed = (await server.getD1Database("PRINTED")) as unknown as D1Database
  foreign = (await server.getD1Database("FOREIGN")) as unknown as D1Database
  ids = (await server.getDurableObjectNamespace("IDS")) as unknown as DurableIds
  kv = await server.getKVNamespace("KV")
  await d1(database).migrate()
})

afterAll(() => server.dispose())

describe("D1", () => {
  testAdapter({
    name: "d1",
    callers,
    create: () => ({ adapter: d1(database) }),
    without: ["createSessionDetail", "endSessions", "transaction"],
  })

  it("is migrated once by many concurrent callers", async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => d1(fresh).migrate()))
    expect(made.filter((steps) => steps.length > 0)).toHaveLength(1)
    expect(await d1(fresh).migrate()).toEqual([])
  })

  it("takes the printed schema, after which nothing is left to migrate", async () => {
    const statements = schemaSql("d1").split(";\n").filter(Boolean)
    await printed.batch(statements.map((text) => printed.prepare(text)))
    expect(await d1(printed).migrate()).toEqual([])
    expect(schemaSql("d1")).not.toMatch(/^(?:begin|commit)/m)
  })

  it("removes many expired rows with few queries, since a worker may only make a limited number of them", async () => {
    const queries: string[] = []
    const watched: D1Database = {
      prepare(text) {
        queries.push(text)
        return database.prepare(text)
      },
      batch: (statements) => database.batch(statements),
    }
    await database
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
         insert into "Spent" (id, expires) select 'few-' || i, '2020-01-01T00:00:00.000Z' from n`,
      )
      .run()
    expect(await d1(watched).removeExpired()).toBeGreaterThanOrEqual(2000)
    // Two for each of the six tables with rows that expire.
    expect(queries.length).toBeLessThanOrEqual(12)
  })

  it("recognizes a unique violation", async () => {
    const user = { id: "", name: null, email: "twice@example.com", emailVerified: null, image: null }
    await d1(database).createUser(user)
    const again = Promise.resolve(d1(database).createUser(user))
    expect(isUniqueViolation(await again.catch((error: unknown) => error))).toBe(true)
  })

  it("is migrated through a Kysely dialect of another package", async () => {
    const db = new Kysely<unknown>({ dialect: toDialect(foreign) })
    expect(await migrate(db)).not.toEqual([])
    expect(await migrate(db)).toEqual([])
  })

  it("refuses link tables, which need transactions", () => {
    expect(() => d1(database, { layout: "linked" })).toThrow('layout must be "direct"')
  })
})

/** As the dialects for D1 on npm do. */
function toDialect(binding: D1Database): Dialect {
  const refuse = () => Promise.reject(new Error("Transactions are not supported"))
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => ({
        async executeQuery({ sql, parameters }) {
          const { results } = (await binding
            .prepare(sql)
            .bind(...parameters)
            .run()) as { results?: never[] }
          return { rows: results ?? [] }
        },
        async *streamQuery() {},
      }),
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    }),
  }
}

const oneAtATime = "a key-value store does one thing at a time"
const notPromised = {
  "ADP-05: creates one user when many concurrent callers use the same email": oneAtATime,
  "ADP-06: links an account once when concurrent callers link it to two users": oneAtATime,
  "creates one session when many concurrent callers use the same token": oneAtATime,
  "creates one authenticator when many concurrent callers use the same credential id": oneAtATime,
  "ADP-08: keeps the largest counter of many concurrent callers in any order": oneAtATime,
}

describe("KV", () => {
  const storage = () => createStorage({ driver: kvDriver({ binding: kv as never }) })

  testAdapter({
    name: "with acceptReplays",
    callers,
    create: () => ({ adapter: UnstorageAdapter(storage(), { prefix: "replays", acceptReplays: true }) }),
    without: ["consumeOnce", ...featureMethods],
    notPromised: {
      ...notPromised,
      "ADP-04: returns a verification token to exactly one of many concurrent callers": "KV has no atomic take",
    },
  })

  const consumeOnce = (id: string, expires: Date) => ids.get(ids.idFromName(id)).consume(expires.getTime())

  testAdapter({
    name: "with consumeOnce in a Durable Object",
    callers,
    create: () => ({ adapter: UnstorageAdapter(storage(), { prefix: "durable", consumeOnce }) }),
    without: featureMethods.filter((method) => method !== "keepTemporary" && method !== "takeTemporary"),
    notPromised,
  })
})
