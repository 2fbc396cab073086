import type { Adapter } from "@latchkey/core/adapters"
import { RedisAdapter } from "@latchkey/redis-adapter"
import { hasProgram, type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { UnstorageAdapter } from "@latchkey/unstorage-adapter"
import { Redis } from "ioredis"
import { createStorage, type Storage } from "unstorage"
import redis from "unstorage/drivers/redis"
import { afterAll, beforeAll, describe, expect } from "vitest"
import { openUnstorageStore } from "../theirs/unstorage-store.js"
import { importFromGuide } from "./guide-code.js"
import { testMove } from "./move.suite.js"

type CopyStore = (storage: Storage, adapter: Adapter) => Promise<number>

describe.skipIf(!hasProgram("redis-server"))("in Redis", () => {
  let server: StoreServer
  let copyStore: CopyStore
  let client: Redis
  beforeAll(async () => {
    server = await startRedis()
    client = new Redis(server.url)
    copyStore = (await importFromGuide("copyStore"))["copyStore"] as CopyStore // as: declared in the guide
  })
  afterAll(async () => {
    client.disconnect()
    await server.stop()
  })

  const consumeOnce = async (id: string, expires: Date) =>
    (await client.set(`spent:${id}`, "1", "PXAT", expires.valueOf(), "NX")) === "OK"

  describe.each([
    ["@latchkey/redis-adapter", () => RedisAdapter(client)],
    ["@latchkey/unstorage-adapter", () => UnstorageAdapter(openStorage("new"), { consumeOnce })],
  ] as const)("from @auth/unstorage-adapter to %s", (name, open) => {
    const base = `old:${name.length}`
    testMove({
      hasPasskeys: true,
      hasWayBack: false,
      openTheirs: () => openUnstorageStore(openStorage(base)),
      async openOurs() {
        const adapter = open()
        const old = openStorage(base)
        expect(await copyStore(old, adapter)).toBeGreaterThan(0)
        expect(await copyStore(old, adapter)).toBe(0)
        return { adapter, close: () => old.dispose() }
      },
    })
  })

  function openStorage(base: string): Storage {
    return createStorage({ driver: redis({ url: server.url, base }) })
  }
})
