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
    "refuses a second user with the same email",
    "refuses to change a user who is not there, and makes none",
    "refuses to link an account again, and leaves it with its owner",
    "DBS-02: refuses a second session with the same token, and leaves the first to its user",
    "refuses a second authenticator with the same credential id",
    "ADP-05: creates one user when many callers bring the same email",
    "ADP-06: links an account once when many callers of two users link it",
    "creates one session when many callers bring the same token",
    "creates one authenticator when many callers bring the same credential id",
    "ADP-07: never brings a deleted session back, however many callers extend it meanwhile",
  ]),
  ...because("deleting a user asks for a key that is null, which unstorage 1.17 refuses", [
    "deletes a user and nobody else",
    "lets a deleted user's accounts go too",
    "DBS-07: lets a deleted user's sessions go too",
    "lets a deleted user's authenticators go too",
  ]),
  ...because("unstorage cuts a key at a question mark and takes a backslash for a colon", [
    'ADP-01: takes "?" literally in every field',
    String.raw`ADP-01: finds no session and no verification token by "\\"`,
    'ADP-01: finds no session and no verification token by "?"',
    "ADP-01: keeps, changes and deletes sessions by the very text of their tokens",
    "ADP-01: keeps and spends verification tokens by their very text",
  ]),
  ...because("a verification token is read and removed in two steps", [
    "ADP-04: gives a verification token to exactly one of many callers",
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
