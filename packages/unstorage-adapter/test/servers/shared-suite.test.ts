import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { featureMethods, testAdapter } from "@latchkey/testkit/adapter"
import { hasProgram, type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { UnstorageAdapter } from "@latchkey/unstorage-adapter"
import { createStorage, prefixStorage, type Storage } from "unstorage"
import fsLite from "unstorage/drivers/fs-lite"
import memory from "unstorage/drivers/memory"
import redisDriver from "unstorage/drivers/redis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/** The methods of the driver's client that these tests use. */
interface SettingClient {
  set(key: string, value: string, expiry: "PXAT", atMs: number, unless: "NX"): Promise<"OK" | null>
  config(action: "SET", name: string, value: string): Promise<unknown>
}

const withoutTemporary = featureMethods.filter((method) => method !== "keepTemporary" && method !== "takeTemporary")

const noTransactions = "a key-value store does one thing at a time"

/** With any driver. */
const notPromised = {
  "ADP-05: creates one user when many concurrent callers use the same email": noTransactions,
  "ADP-06: links an account once when concurrent callers link it to two users": noTransactions,
  "creates one session when many concurrent callers use the same token": noTransactions,
  "creates one authenticator when many concurrent callers use the same credential id": noTransactions,
  "ADP-08: keeps the largest counter of many concurrent callers in any order": noTransactions,
}

testAdapter({
  name: "UnstorageAdapter in memory",
  create: () => ({ adapter: UnstorageAdapter(createStorage({ driver: memory() })) }),
  without: [
    "createVerificationToken",
    "useVerificationToken",
    "createAuthenticator",
    "getAuthenticator",
    "listAuthenticatorsByUserId",
    "updateAuthenticatorCounter",
    "updateAuthenticator",
    "deleteAuthenticator",
    "consumeOnce",
    ...featureMethods,
  ],
  notPromised,
})

describe("findStoreDefects", () => {
  it("names a driver that keeps records in one process, or removes them", async () => {
    const kindsOf = async (driver: ReturnType<typeof memory>) => {
      const defects = await UnstorageAdapter(createStorage({ driver })).findStoreDefects()
      return defects.map(({ kind }) => kind)
    }
    expect(await kindsOf(memory())).toEqual(["persistence"])
    expect(await kindsOf({ ...memory(), name: "lru-cache" })).toEqual(["eviction"])
    expect(await kindsOf({ ...memory(), name: "constructor" })).toEqual([])
    expect(await kindsOf(fsLite({ base: tmpdir() }))).toEqual([])
  })

  it("says nothing about a storage with several drivers, of which one may have the records", async () => {
    const storage = createStorage({ driver: memory() })
    storage.mount("app", fsLite({ base: tmpdir() }))
    expect(await UnstorageAdapter(prefixStorage(storage, "app")).findStoreDefects()).toEqual([])
  })
})

describe("UnstorageAdapter in files", () => {
  let base: string
  let storage: Storage
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), "latchkey-unstorage-"))
    storage = createStorage({ driver: fsLite({ base }) })
  })
  afterAll(() => rmSync(base, { recursive: true }))

  testAdapter({
    name: "with acceptReplays",
    create: () => ({ adapter: UnstorageAdapter(prefixStorage(storage, "app"), { acceptReplays: true }) }),
    without: ["consumeOnce", ...featureMethods],
    notPromised: {
      ...notPromised,
      "ADP-04: returns a verification token to exactly one of many concurrent callers": "replays are accepted",
    },
  })
})

describe.skipIf(!hasProgram("redis-server"))("UnstorageAdapter in Redis", () => {
  let server: StoreServer
  let storage: Storage
  let client: SettingClient
  beforeAll(async () => {
    server = await startRedis()
    const driver = redisDriver({ url: server.url })
    client = driver.getInstance?.() as SettingClient // as: this driver uses an ioredis client
    storage = createStorage({ driver })
  }, 30_000)
  afterAll(async () => {
    await storage.dispose()
    await server.stop()
  })

  it("finds that the server evicts keys when its memory is full", async () => {
    const { findStoreDefects } = UnstorageAdapter(storage)
    expect(await findStoreDefects()).toEqual([])
    await client.config("SET", "maxmemory", "16mb")
    await client.config("SET", "maxmemory-policy", "allkeys-lru")
    expect(await findStoreDefects()).toMatchObject([
      { kind: "eviction", sentence: expect.stringContaining("maxmemory-policy allkeys-lru") },
    ])
    await client.config("SET", "maxmemory-policy", "noeviction")
    expect(await findStoreDefects()).toEqual([])
  })

  const consumeOnce = async (id: string, expires: Date) =>
    (await client.set(`consumed:${id}`, "1", "PXAT", expires.valueOf(), "NX")) === "OK"

  testAdapter({
    name: "with consumeOnce",
    create: () => ({ adapter: UnstorageAdapter(storage, { consumeOnce }) }),
    without: withoutTemporary,
    notPromised,
  })
})
