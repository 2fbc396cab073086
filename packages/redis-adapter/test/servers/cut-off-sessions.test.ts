import { RedisAdapter, type RedisMethods } from "@latchkey/redis-adapter"
import { hasProgram } from "@latchkey/testkit/servers"
import type { Redis } from "ioredis"
import { beforeEach, describe, expect, it } from "vitest"
import { withRedis } from "./redis-setup.js"
import {
  type InterruptedSteps,
  interruptAtEachCommand,
  interruptedClient,
  listKeys,
  watchedClient,
} from "./watched-client.js"

// As cut-off.test.ts, for the features beyond the contract.

const expires = new Date("2040-01-01T00:00:00.000Z")
const ada = { id: "ada", email: "ada@example.com", emailVerified: null }

function detailOf(id: string, lastSeenAt = new Date("2026-01-01T00:00:00.000Z")) {
  return {
    id,
    userId: "ada",
    sessionToken: `token-${id}`,
    provider: "harbour",
    providerAccountId: "1",
    providerSession: "op",
    amr: "pwd",
    createdAt: new Date("2026-01-01T00:00:00.000Z"),
    lastSeenAt,
    expires,
    userAgent: null,
    network: null,
    label: null,
  }
}

const sessionOf = (id: string) => ({ sessionToken: `token-${id}`, userId: "ada", expires })

describe.skipIf(!hasProgram("redis-server"))("RedisAdapter with tracked sessions after an interruption", () => {
  let client: Redis
  let prefix: string
  let adapter: RedisMethods

  withRedis((started) => {
    client = started
  })
  beforeEach(() => void begin())

  function begin(): string {
    prefix = crypto.randomUUID()
    adapter = RedisAdapter(client, { prefix })
    return prefix
  }

  async function interruptEverywhere(...steps: InterruptedSteps): Promise<void> {
    expect(await interruptAtEachCommand(client, begin, steps)).toBeGreaterThan(3)
  }

  async function create(...ids: readonly string[]): Promise<void> {
    await adapter.createUser(ada)
    for (const id of ids) await adapter.createSessionDetail(detailOf(id), { session: sessionOf(id) })
  }

  const listed = async () => (await adapter.listSessionsByUserId("ada")).map(({ id }) => id).toSorted()

  async function found(...ids: readonly string[]): Promise<readonly boolean[]> {
    const sessions = ids.map(async (id) => await adapter.getSessionAndUser(`token-${id}`))
    return (await Promise.all(sessions)).map((session) => session !== null)
  }

  it("createSessionDetail leaves a session with its details, or neither", async () => {
    await interruptEverywhere(
      () => create(),
      (interrupted) => interrupted.createSessionDetail(detailOf("a"), { session: sessionOf("a") }),
      async (isDone) => {
        const ids = await listed()
        if (isDone) expect(ids).toEqual(["a"])
        expect(await found("a")).toEqual([ids.includes("a")])
      },
    )
  })

  it("createSessionDetail leaves no session beyond the limit found", async () => {
    const limit = { count: 2, over: "end-oldest" } as const
    const newest = detailOf("c", new Date("2026-02-01T00:00:00.000Z"))
    await interruptEverywhere(
      () => create("a", "b"),
      (interrupted) => interrupted.createSessionDetail(newest, { session: sessionOf("c"), limit }),
      async (isDone) => {
        const ids = await listed()
        expect(ids).toHaveLength(2)
        expect(ids.includes("c") || !isDone).toBe(true)
        expect(await found("a", "b", "c")).toEqual(["a", "b", "c"].map((id) => ids.includes(id)))
      },
    )
  })

  it("endSessions leaves all sessions of a user found and listed, or none", async () => {
    await interruptEverywhere(
      () => create("a", "b"),
      (interrupted) => interrupted.endSessions({ userId: "ada" }),
      async (isDone) => {
        const ids = await listed()
        expect([0, isDone ? 0 : 2]).toContain(ids.length)
        expect(await found("a", "b")).toEqual([ids.length > 0, ids.length > 0])
      },
    )
  })

  it("endSessions of a provider's session leaves all of them found and listed, or none", async () => {
    await interruptEverywhere(
      () => create("a", "b"),
      (interrupted) => interrupted.endSessions({ provider: "harbour", providerSession: "op" }),
      async (isDone) => {
        const ids = await listed()
        expect([0, isDone ? 0 : 2]).toContain(ids.length)
        expect(await found("a", "b")).toEqual([ids.length > 0, ids.length > 0])
      },
    )
  })

  it("updateSession and seeSession never bring back a session whose end was interrupted", async () => {
    await create("a")
    const ending = RedisAdapter(interruptedClient(client, 1, "request"), { prefix })
    await expect(ending.endSessions({ userId: "ada" })).rejects.toThrow("the connection was lost")
    await adapter.updateSession({ sessionToken: "token-a", expires })
    expect(await adapter.seeSession({ id: "a", userId: "ada", seenAt: new Date(), expires })).toBeNull()
    expect(await found("a")).toEqual([false])
  })

  it("a session with details lives as long as updateSession and seeSession say", async () => {
    await adapter.createUser(ada)
    const soon = new Date(Date.now() + 1500)
    const detail = { ...detailOf("a"), expires: soon }
    await adapter.createSessionDetail(detail, { session: { ...sessionOf("a"), expires: soon } })
    await adapter.updateSession({ sessionToken: "token-a", expires })
    await new Promise((resolve) => setTimeout(resolve, 1700))
    expect(await found("a")).toEqual([true])
  })

  it("deleteUser leaves nothing of the user but names in indexes, which expire", async () => {
    await interruptEverywhere(
      async () => {
        await create("a")
        await adapter.setPassword({ userId: "ada", hash: "hash", changedAt: expires, from: null })
        const unused = { label: null, lastStep: null, lastUsedAt: null }
        await adapter.createFactor({
          id: "f",
          userId: "ada",
          kind: "totp",
          secret: "s",
          version: 0,
          createdAt: expires,
          ...unused,
        })
      },
      (interrupted) => interrupted.deleteUser("ada"),
      async () => {
        const isThere = (await adapter.getUser("ada")) !== null
        const password = await adapter.getPassword("ada")
        const factors = await adapter.listFactors("ada")
        const ids = await listed()
        expect([password !== null, factors.length === 1, ids.length === 1, ...(await found("a"))]).toEqual(
          Array(4).fill(isThere),
        )
        await adapter.deleteUser("ada")
        const keys = await listKeys(client, prefix)
        expect(keys.filter((key) => !key.includes(":began-"))).toEqual([])
        expect((await Promise.all(keys.map((key) => client.pttl(key)))).every((ms) => ms > 0)).toBe(true)
      },
    )
  })

  it("applies an operation once if the client repeats a command without a response", async () => {
    const twice = watchedClient(client, async ({ send }) => {
      await send()
      return await send()
    })
    const again = RedisAdapter(twice, { prefix })
    await again.createUser(ada)
    expect(await again.createSessionDetail(detailOf("a"), { session: sessionOf("a") })).toBe(true)
    expect(await found("a")).toEqual([true])
    expect(await again.setPassword({ userId: "ada", hash: "one", changedAt: expires, from: null })).toBe(true)
    expect(await again.setPassword({ userId: "ada", hash: "two", changedAt: expires, from: "one" })).toBe(true)
    expect(await again.setPassword({ userId: "ada", hash: "three", changedAt: expires, from: "one" })).toBe(false)
    const account = { provider: "harbour", providerAccountId: "1" }
    await again.linkAccount({ ...account, type: "oidc", userId: "ada", refresh_token: "old" })
    expect(await again.replaceTokens(account, { from: "old", tokens: { refresh_token: "new" } })).toBe(true)
    expect(await again.replaceTokens(account, { from: "old", tokens: { refresh_token: "newer" } })).toBe(false)
    await again.keepTemporary({ id: "held", value: "sealed", expires })
    expect(await adapter.takeTemporary("held")).toBe("sealed")
    expect(await again.takeLease({ id: "refresh", holder: "1", until: expires })).toBe(true)
    expect(await again.takeLease({ id: "refresh", holder: "2", until: expires })).toBe(false)
    const change = { id: "deletion:ada", userId: "ada", kind: "deletion", value: "sealed", expires }
    expect(await again.createAccountChange(change)).toBe(true)
    expect(await again.deleteAccountChange(change)).toBe(true)
    expect([await again.deleteAccountChange(change), await adapter.getAccountChange(change.id)]).toEqual([false, null])
    expect(await again.createAccountChange(change)).toBe(true)
    expect(await adapter.listAccountChanges({ kind: "deletion" })).toEqual([change])
    const replaced = { userId: "ada", from: ada.email, to: "ada@new.example", emailVerified: null }
    expect(await again.replaceEmail(replaced)).toBe(true)
    expect(await again.replaceEmail({ ...replaced, from: replaced.to, to: null })).toBe(true)
    expect(await again.replaceEmail({ ...replaced, from: replaced.to, to: null })).toBe(false)
    expect(await adapter.getUserByEmail(replaced.to)).toBeNull()
  })

  it("takeTemporary never returns a value twice", async () => {
    for (const lost of ["request", "response"] as const) {
      begin()
      await adapter.keepTemporary({ id: "held", value: "sealed", expires })
      const interrupted = RedisAdapter(interruptedClient(client, 0, lost), { prefix })
      await expect(interrupted.takeTemporary("held")).rejects.toThrow("the connection was lost")
      expect(await adapter.takeTemporary("held")).toBe(lost === "request" ? "sealed" : null)
      expect(await adapter.takeTemporary("held")).toBeNull()
    }
  })
})
