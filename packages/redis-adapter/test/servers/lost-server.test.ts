import { inspect } from "node:util"
import { Auth, type AuthConfig } from "@latchkey/core"
import { RedisAdapter, type RedisMethods } from "@latchkey/redis-adapter"
import { findFreePort, hasProgram, type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { connections, type OpenClient } from "./redis-setup.js"
import { unsteadyConnection } from "./unsteady-connection.js"

const expires = new Date("2040-01-01T00:00:00.000Z")
const person = (id: string) => ({ id, email: `${id}@example.com`, emailVerified: null })

/** Longer than a busy machine takes to respond, shorter than a test may take. */
const timeoutMilliseconds = 1000

describe.skipIf(!hasProgram("redis-server")).each(Object.entries(connections))(
  "RedisAdapter without its server (%s)",
  (_, connect) => {
    let port: number
    let server: StoreServer
    let open: OpenClient
    let adapter: RedisMethods
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

    /** The error messages of each kind of step: a plain read and scripts. */
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

    it("fails each call while the server is down, runs none of them later, and recovers", async () => {
      await server.stop()
      for (const failure of await failures()) expect(failure).toMatch(/^Redis: /)
      for (const failure of await failures())
        expect(failure).toMatch(/^Redis: (no connection within 1000 ms|.*ECONNREFUSED)/)
      server = await startRedis({ port })
      await expect.poll(() => works(adapter), { timeout: 15_000 }).toBe(true)
      expect(await operator.dbsize()).toBe(1)
    }, 40_000)

    it("keeps users signed in across an outage", async () => {
      const config: AuthConfig = {
        adapter,
        providers: [],
        secret: "a secret of the test, long enough",
        trustHost: true,
      }
      const logger = { error: () => undefined, warn: () => undefined, debug: () => undefined }
      await adapter.createSession({ sessionToken: "sesame-open-up-1234", userId: "ada", expires })
      const requestSession = async () => {
        const headers = { cookie: "authjs.session-token=sesame-open-up-1234" }
        const response = await Auth(new Request("http://localhost/auth/session", { headers }), { ...config, logger })
        const isCookieLost = response.headers.getSetCookie().some((cookie) => cookie.includes("session-token=;"))
        return { status: response.status, isCookieLost, body: await response.json() }
      }
      const signedIn = { status: 200, isCookieLost: false, body: { user: { email: "ada@example.com" } } }
      expect(await requestSession()).toMatchObject(signedIn)
      await operator.client("PAUSE", 3000, "ALL")
      expect(await requestSession()).toEqual({ status: 200, isCookieLost: false, body: null })
      await expect.poll(requestSession, { timeout: 15_000 }).toMatchObject(signedIn)
    }, 40_000)

    it("ends a call whose connection is lost and creates nothing twice", async () => {
      const proxy = await unsteadyConnection(server.url)
      const unsteady = await connect(proxy.url)
      const unsteadyAdapter = RedisAdapter(unsteady.client, { timeoutMilliseconds: 5000 })
      await unsteadyAdapter.getUser("ada")
      proxy.loseNextResponse()
      const failure = await failureOf(() => unsteadyAdapter.createUser(person("ben")))
      // ioredis repeats a command without a response; node-redis leaves that to the caller.
      expect(failure === "done" || failure.startsWith("Redis: ")).toBe(true)
      await expect.poll(() => works(unsteadyAdapter), { timeout: 15_000 }).toBe(true)
      const found = await adapter.getUserByEmail("ben@example.com")
      if (failure === "done") expect(found).toMatchObject({ id: "ben" })
      else if (!found)
        expect(await unsteadyAdapter.createUser({ ...person("ben"), id: "ben2" })).toMatchObject({ id: "ben2" })
      await unsteady.close()
      await proxy.close()
    }, 40_000)

    it("fails a call if the server is too slow, and recovers", async () => {
      await operator.client("PAUSE", 3000, "ALL")
      expect(await failures()).toEqual(Array.from({ length: 5 }, () => "Redis: no response within 1000 ms"))
      await expect.poll(() => works(adapter), { timeout: 15_000 }).toBe(true)
    }, 40_000)

    it("fails each call while the server accepts no more clients, and recovers", async () => {
      await operator.config("SET", "maxclients", 1)
      await operator.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
      for (const failure of await failures()) expect(failure).toMatch(/^Redis: /)
      await operator.config("SET", "maxclients", 100)
      await expect.poll(() => works(adapter), { timeout: 15_000 }).toBe(true)
      expect((await adapter.getSessionAndUser("sesame"))?.user.id).toBe("ada")
    }, 40_000)

    it("reads from a replica, fails to write to it, and writes once it is the primary", async () => {
      await operator.replicaof("127.0.0.1", 1)
      expect(await adapter.getSessionAndUser("sesame")).toMatchObject({ user: { id: "ada" } })
      expect(await failureOf(() => adapter.createUser(person("ben")))).toMatch(/^Redis: .*READONLY/)
      expect(await failureOf(() => adapter.deleteSession("sesame"))).toMatch(/^Redis: .*READONLY/)
      await operator.replicaof("NO", "ONE")
      expect(await adapter.createUser(person("ben"))).toMatchObject({ id: "ben" })
    })

    it("reads from a full server, fails to write to it, and writes once it has memory", async () => {
      await operator.config("SET", "maxmemory", "1")
      expect(await adapter.getUser("ada")).toMatchObject({ id: "ada" })
      expect(await failureOf(() => adapter.createUser(person("ben")))).toMatch(/^Redis: .*OOM/)
      await operator.config("SET", "maxmemory", "0")
      expect(await adapter.createUser(person("ben"))).toMatchObject({ id: "ben" })
    })

    it("works after the server has lost its scripts", async () => {
      await operator.script("FLUSH")
      expect(await adapter.consumeOnce("flow", expires)).toBe(true)
      expect(await adapter.consumeOnce("flow", expires)).toBe(false)
    })

    it("throws errors without the stored values", async () => {
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

async function works(adapter: RedisMethods): Promise<boolean> {
  return (await failureOf(() => adapter.consumeOnce(crypto.randomUUID(), expires))) === "done"
}
