import { testAdapter } from "@latchkey/testkit/adapter"
import { hasProgram, type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { createStorage } from "unstorage"
import memory from "unstorage/drivers/memory"
import redis from "unstorage/drivers/redis"
import { afterAll, beforeAll, describe } from "vitest"
import { ours } from "./theirs/missing-methods.js"
import { because, countersMoveBack } from "./theirs/not-promised.js"
import { testSignIns } from "./theirs/sign-ins.suite.js"
import type { TheirStore } from "./theirs/their-store.js"
import { openUnstorageStore } from "./theirs/unstorage-store.js"

const notPromised = {
  ...countersMoveBack,
  ...because("what is there already is written over", [
    "rejects a second user with the same email",
    "rejects an update of an unknown user, and creates none",
    "rejects linking an account twice, and keeps its user",
    "DBS-02: rejects a second session with the same token, and keeps the first",
    "rejects a second authenticator with the same credential id",
    "ADP-05: creates one user when many concurrent callers use the same email",
    "ADP-06: links an account once when concurrent callers link it to two users",
    "creates one session when many concurrent callers use the same token",
    "creates one authenticator when many concurrent callers use the same credential id",
    "ADP-07: does not restore a deleted session that many concurrent callers update",
  ]),
  ...because("deleting a user asks for a key that is null, which unstorage 1.17 refuses", [
    "deletes one user and no other",
    "deletes a user's accounts with the user",
    "DBS-07: deletes a user's sessions with the user",
    "deletes a user's authenticators with the user",
  ]),
  ...because("unstorage cuts a key at a question mark and takes a backslash for a colon", [
    'ADP-01: treats "?" literally in every field',
    String.raw`ADP-01: finds no session or verification token by "\\"`,
    'ADP-01: finds no session or verification token by "?"',
    "ADP-01: stores, updates and deletes sessions by their exact tokens",
    "ADP-01: stores and consumes verification tokens by their exact text",
  ]),
  ...because("a verification token is read and removed in two steps", [
    "ADP-04: returns a verification token to exactly one of many concurrent callers",
  ]),
}

describe("@auth/unstorage-adapter in memory", () => {
  const store = openUnstorageStore(createStorage({ driver: memory() }))

  testSignIns(() => store)
  testAdapter({ name: "the shared suite", create: () => ({ adapter: store.adapter }), without: ours, notPromised })
})

describe.skipIf(!hasProgram("redis-server"))("@auth/unstorage-adapter in Redis", () => {
  let server: StoreServer
  let store: TheirStore
  beforeAll(async () => {
    server = await startRedis()
    store = openUnstorageStore(createStorage({ driver: redis({ url: server.url }) }))
  })
  afterAll(async () => {
    await store.close()
    await server.stop()
  })

  testSignIns(() => store)
  testAdapter({ name: "the shared suite", create: () => ({ adapter: store.adapter }), without: ours, notPromised })
})
