import { inspect } from "node:util"
import { Auth, type AuthConfig } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { RedisAdapter } from "@latchkey/redis-adapter"
import { findFreePort, hasProgram, type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { connections, type OpenClient } from "./redis-setup.js"
import { unsteadyConnection } from "./unsteady-connection.js"

const expires = new Date("2040-01-01T00:00:00.000Z")
const person = (id: string) => ({ id, email: `${id}@example.com`, emailVerified: null })

/** Longer than a loaded machine needs for an answer, shorter than a test may take. */
const timeoutMilliseconds = 1000

describe.skipIf(!hasProgram("redis-server")).each(Object.entries(connections))(
  "losing the server (%s)",
  (_, connect) => {
    let port: number
    let server: StoreServer
    let open: OpenClient
    let adapter: Required<Adapter>
    let operator: Redis

    beforeAll(async () => {
      port = await findFreePort()
    })
    beforeEach(async () => {
      server = await startRedis({ port })
      operator = new Redis(server.url)
      operator.on("error", () => undefined)
      open = await connect(server.url)
      adapter = RedisAdapter(open.client, { timeoutMilliseconds })
      await adapter.createUser(person("ada"))
      await adapter.createSession({ sessionToken: "sesame", userId: "ada", expires })
    }, 30_000)
    afterEach(async () => {
      await open.close()
      operator.disconnect()
      await server.stop()
    })
    afterAll(() => server.stop())

    /** What every kind of step says: a plain read, and scripts. */
    async function failures(): Promise<readonly string[]> {
      const calls = [
        () => adapter.getUser("ada"),
        () => adapter.getSessionAndUser("sesame"),
        () => adapter.createUser(person("ben")),
        () => adapter.consumeOnce("flow", expires),
        () => adapter.useVerificationToken({ identifier: "ada@example.com", token: "hash" }),
      ]
      return await Promise.all(calls.map(async (call) => await failureOf(call)))
    }

    it("refuses each call with a clear error while the server is away, does none of them later, and works again", async () => {
      await server.stop()
      for (const failure of await failures()) expect(failure).toMatch(/^Redis: /)
      for (const failure of await failures())
        expect(failure).toMatch(/^Redis: (no connection within 1000 ms|.*ECONNREFUSED)/)
      server = await startRedis({ port })
      await expect.poll(() => works(adapter), { timeout: 15_000 }).toBe(true)
      expect(await operator.dbsize()).toBe(1)
    }, 40_000)

    it("keeps everybody signed in over an outage", async () => {
      const config: AuthConfig = {
        adapter,
        providers: [],
        secret: "a secret of the test, long enough",
        trustHost: true,
      }
      const logger = { error: () => undefined, warn: () => undefined, debug: () => undefined }
      await adapter.createSession({ sessionToken: "sesame-open-up-1234", userId: "ada", expires })
      const askSession = async () => {
        const headers = { cookie: "authjs.session-token=sesame-open-up-1234" }
        const response = await Auth(new Request("http://localhost/auth/session", { headers }), { ...config, logger })
        const isCookieLost = response.headers.getSetCookie().some((cookie) => cookie.includes("session-token=;"))
        return { status: response.status, isCookieLost, body: await response.json() }
      }
      const signedIn = { status: 200, isCookieLost: false, body: { user: { email: "ada@example.com" } } }
      expect(await askSession()).toMatchObject(signedIn)
      await operator.client("PAUSE", 3000, "ALL")
      expect(await askSession()).toEqual({ status: 200, isCookieLost: false, body: null })
      await expect.poll(askSession, { timeout: 15_000 }).toMatchObject(signedIn)
    }, 40_000)

    it("ends a call whose connection is cut, and makes nothing twice", async () => {
      const way = await unsteadyConnection(server.url)
      const unsteady = await connect(way.url)
      const over = RedisAdapter(unsteady.client, { timeoutMilliseconds: 5000 })
      await over.getUser("ada")
      way.loseNextAnswer()
      const failure = await failureOf(() => over.createUser(person("ben")))
      // One client sends again what had no answer; the other one lets the caller decide.
      expect(failure === "done" || failure.startsWith("Redis: ")).toBe(true)
      await expect.poll(() => works(over), { timeout: 15_000 }).toBe(true)
      const found = await adapter.getUserByEmail("ben@example.com")
      if (failure === "done") expect(found).toMatchObject({ id: "ben" })
      else if (!found) expect(await over.createUser({ ...person("ben"), id: "ben2" })).toMatchObject({ id: "ben2" })
      await unsteady.close()
      await way.close()
    }, 40_000)

    it("gives a call up that the server is too slow for, and works again", async () => {
      await operator.client("PAUSE", 3000, "ALL")
      expect(await failures()).toEqual(Array.from({ length: 5 }, () => "Redis: no answer within 1000 ms"))
      await expect.poll(() => works(adapter), { timeout: 15_000 }).toBe(true)
    }, 40_000)

    it("refuses each call while the server takes no more clients, and works again when it does", async () => {
      await operator.config("SET", "maxclients", 1)
      await operator.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
      for (const failure of await failures()) expect(failure).toMatch(/^Redis: /)
      await operator.config("SET", "maxclients", 100)
      await expect.poll(() => works(adapter), { timeout: 15_000 }).toBe(true)
      expect((await adapter.getSessionAndUser("sesame"))?.user.id).toBe("ada")
    }, 40_000)

    it("reads from a replica, refuses to write there, and writes again once it is the primary", async () => {
      await operator.replicaof("127.0.0.1", 1)
      expect(await adapter.getSessionAndUser("sesame")).toMatchObject({ user: { id: "ada" } })
      expect(await failureOf(() => adapter.createUser(person("ben")))).toMatch(/^Redis: .*READONLY/)
      expect(await failureOf(() => adapter.deleteSession("sesame"))).toMatch(/^Redis: .*READONLY/)
      await operator.replicaof("NO", "ONE")
      expect(await adapter.createUser(person("ben"))).toMatchObject({ id: "ben" })
    })

    it("reads from a full server, refuses to write there, and writes again when there is room", async () => {
      await operator.config("SET", "maxmemory", "1")
      expect(await adapter.getUser("ada")).toMatchObject({ id: "ada" })
      expect(await failureOf(() => adapter.createUser(person("ben")))).toMatch(/^Redis: .*OOM/)
      await operator.config("SET", "maxmemory", "0")
      expect(await adapter.createUser(person("ben"))).toMatchObject({ id: "ben" })
    })

    it("goes on after the server has forgotten the scripts", async () => {
      await operator.script("FLUSH")
      expect(await adapter.consumeOnce("flow", expires)).toBe(true)
      expect(await adapter.consumeOnce("flow", expires)).toBe(false)
    })

    it("says nothing of what was to be stored", async () => {
      await operator.replicaof("127.0.0.1", 1)
      const account = { userId: "ada", type: "oidc", provider: "harbour", providerAccountId: "1" } as const
      const calls = [
        () => adapter.linkAccount({ ...account, access_token: "secret-access" }),
        () => adapter.createSession({ sessionToken: "secret-token", userId: "ada", expires }),
        () => adapter.createUser({ ...person("ben"), name: "secret-name" }),
      ]
      for (const call of calls) {
        const error: unknown = await (async () => await call())().then(
          () => null,
          (reason: unknown) => reason,
        )
        expect(inspect(error, { depth: 9, showHidden: true })).toContain("READONLY")
        expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/secret|ben@example/)
      }
    })
  },
)

async function failureOf(call: () => unknown): Promise<string> {
  try {
    await call()
    return "done"
  } catch (error) {
    return error instanceof Error ? error.message : "no error"
  }
}

async function works(adapter: Required<Adapter>): Promise<boolean> {
  return (await failureOf(() => adapter.consumeOnce(crypto.randomUUID(), expires))) === "done"
}
