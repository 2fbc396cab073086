import type { Adapter } from "@latchkey/core/adapters"
import { RedisAdapter } from "@latchkey/redis-adapter"
import { hasProgram, type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { cutOffClient, listKeys, watchedClient } from "./watched-client.js"

// An operation over several slots takes several steps. Whichever of them is the last, what is there afterwards is
// whole.

const expires = new Date("2040-01-01T00:00:00.000Z")
const account = { provider: "harbour", providerAccountId: "1" } as const
const passkey = {
  credentialID: "key",
  providerAccountId: "key",
  credentialPublicKey: "public",
  counter: 0,
  credentialDeviceType: "singleDevice",
  credentialBackedUp: false,
}

const person = (id: string, email = `${id}@example.com`) => ({ id, email, emailVerified: null })

describe.skipIf(!hasProgram("redis-server"))("an operation that is cut off", () => {
  let server: StoreServer
  let client: Redis
  let prefix: string
  let adapter: Required<Adapter>

  beforeAll(async () => {
    server = await startRedis()
    client = new Redis(server.url)
  }, 30_000)
  afterAll(async () => {
    client.disconnect()
    await server.stop()
  })
  beforeEach(() => begin())

  function begin(): void {
    prefix = crypto.randomUUID()
    adapter = RedisAdapter(client, { prefix })
  }

  /**
   * Runs an operation again and again, each time in a new store and cut off one command later, until it is not cut off
   * any more; and looks at what is there each time.
   */
  async function cutEverywhere(
    prepare: () => Promise<unknown>,
    operate: (cut: Required<Adapter>) => unknown,
    look: (isDone: boolean) => Promise<void>,
  ): Promise<number> {
    const runs = { count: 0 }
    for (const lost of ["request", "answer"] as const) {
      for (let at = 0, isDone = false; !isDone; at++) {
        begin()
        await prepare()
        const cut = RedisAdapter(cutOffClient(client, at, lost), { prefix })
        isDone = await (async () => await operate(cut))().then(
          () => true,
          () => false,
        )
        await look(isDone)
        runs.count++
      }
    }
    return runs.count
  }

  /** Who has the address; or it is free, and somebody new gets it. */
  async function expectWholeAddress(email: string, owner: string): Promise<boolean> {
    const found = await adapter.getUserByEmail(email)
    if (found) expect([found.id, (await adapter.getUser(owner))?.email]).toEqual([owner, email])
    const another = adapter.createUser(person("new", email))
    if (found) await expect(another).rejects.toThrow("the email is taken")
    else expect(await another).toMatchObject({ id: "new", email })
    return found !== null
  }

  it("leaves a new user who is there with the address, or an address that is free", async () => {
    const runs = await cutEverywhere(
      async () => undefined,
      (cut) => cut.createUser(person("ada")),
      async (isDone) => {
        const isThere = await expectWholeAddress("ada@example.com", "ada")
        if (isDone) expect(isThere).toBe(true)
      },
    )
    expect(runs).toBeGreaterThan(6)
  })

  it("leaves no user who will be forgotten once somebody has seen them", async () => {
    await cutEverywhere(
      async () => undefined,
      (cut) => cut.createUser(person("ada")),
      async () => {
        const found = await adapter.getUserByEmail("ada@example.com")
        const keys = (await listKeys(client, prefix)).filter((key) => key.includes(":user:"))
        const lifetimes = await Promise.all(keys.map((key) => client.pttl(key)))
        expect(lifetimes.every((ms) => (found ? ms === -1 : ms > 0))).toBe(true)
        if (found) return
        expect(await adapter.getUser("ada")).toBeNull()
        const calls = [
          () => adapter.updateUser({ id: "ada", name: "Ada" }),
          () => adapter.updateUser({ id: "ada", email: "new@example.com" }),
          () => adapter.createSession({ sessionToken: "sesame", userId: "ada", expires }),
          () => adapter.linkAccount({ ...account, type: "oidc", userId: "ada" }),
          () => adapter.markEmailVerified({ userId: "ada", email: "ada@example.com", provider: "harbour" }),
        ]
        for (const call of calls) await expect((async () => await call())()).rejects.toThrow("no such user")
        expect(await adapter.listAccountsByUserId("ada")).toEqual([])
        expect(await adapter.deleteUser("ada")).toBeNull()
      },
    )
  })

  it("leaves a user with the old address or the new one, and the other one free", async () => {
    const runs = await cutEverywhere(
      () => adapter.createUser(person("ada")) as Promise<unknown>,
      (cut) => cut.updateUser({ id: "ada", email: "lovelace@example.com", name: "Ada Lovelace" }),
      async (isDone) => {
        const hasNew = await expectWholeAddress("lovelace@example.com", "ada")
        if (isDone) expect(hasNew).toBe(true)
        expect((await adapter.getUser("ada"))?.name).toBe(hasNew ? "Ada Lovelace" : undefined)
        await adapter.deleteUser("new")
        expect(await expectWholeAddress("ada@example.com", "ada")).toBe(!hasNew)
      },
    )
    expect(runs).toBeGreaterThan(8)
  })

  it("leaves an account that is linked and listed, or one that somebody else can link", async () => {
    await cutEverywhere(
      async () => {
        for (const id of ["ada", "ben"]) await adapter.createUser(person(id))
      },
      (cut) => cut.linkAccount({ ...account, type: "oidc", userId: "ada" }),
      async (isDone) => {
        const owner = await adapter.getUserByAccount(account)
        if (isDone) expect(owner?.id).toBe("ada")
        expect((await adapter.listAccountsByUserId("ada")).length).toBe(owner ? 1 : 0)
        const another = adapter.linkAccount({ ...account, type: "oidc", userId: "ben" })
        if (owner) await expect(another).rejects.toThrow("exists already")
        else expect(await another).toMatchObject({ userId: "ben" })
        expect((await adapter.listAccountsByUserId("ada")).length).toBe(owner ? 1 : 0)
      },
    )
  })

  it("leaves a passkey that is found and listed, or none", async () => {
    await cutEverywhere(
      () => adapter.createUser(person("ada")) as Promise<unknown>,
      (cut) => cut.createAuthenticator({ ...passkey, userId: "ada" }),
      async (isDone) => {
        const found = await adapter.getAuthenticator("key")
        if (isDone) expect(found).not.toBeNull()
        expect(await adapter.listAuthenticatorsByUserId("ada")).toEqual(found ? [found] : [])
      },
    )
  })

  it("leaves a session that is there or one that can be made", async () => {
    const session = { sessionToken: "sesame", userId: "ada", expires }
    await cutEverywhere(
      () => adapter.createUser(person("ada")) as Promise<unknown>,
      (cut) => cut.createSession(session),
      async (isDone) => {
        const found = await adapter.getSessionAndUser("sesame")
        if (isDone) expect(found?.session).toEqual(session)
        if (!found) expect(await adapter.createSession(session)).toEqual(session)
      },
    )
  })

  it("leaves a user with all that belongs to them or nothing, and nothing at all when it is done again", async () => {
    const token = "sesame"
    const runs = await cutEverywhere(
      async () => {
        await adapter.createUser(person("ada"))
        await adapter.linkAccount({ ...account, type: "oidc", userId: "ada" })
        await adapter.createSession({ sessionToken: token, userId: "ada", expires })
        await adapter.createAuthenticator({ ...passkey, userId: "ada" })
        await adapter.markEmailVerified({ userId: "ada", email: "ada@example.com", provider: "harbour" })
      },
      (cut) => cut.deleteUser("ada"),
      async (isDone) => {
        const found = await Promise.all([
          adapter.getUser("ada"),
          adapter.getUserByEmail("ada@example.com"),
          adapter.getUserByAccount(account),
          adapter.getAccount(account.providerAccountId, account.provider),
          adapter.getSessionAndUser(token),
          adapter.getAuthenticator("key"),
          adapter.isEmailVerified({ id: "ada", email: "ada@example.com" }),
        ])
        expect(new Set(found.map(Boolean)).size).toBe(1)
        if (isDone) expect(found[0]).toBeNull()
        await adapter.deleteUser("ada")
        expect(await listKeys(client, prefix)).toEqual([])
      },
    )
    expect(runs).toBeGreaterThan(6)
  })

  it("leaves what belonged to a removed user to others", async () => {
    await cutEverywhere(
      async () => {
        await adapter.createUser(person("ada"))
        await adapter.linkAccount({ ...account, type: "oidc", userId: "ada" })
        await adapter.createSession({ sessionToken: "sesame", userId: "ada", expires })
        await adapter.createAuthenticator({ ...passkey, userId: "ada" })
      },
      (cut) => cut.deleteUser("ada"),
      async () => {
        if (await adapter.getUser("ada")) return
        // The same id again is somebody else, to whom nothing of it belongs.
        await adapter.createUser(person("ada"))
        expect(await adapter.getSessionAndUser("sesame")).toBeNull()
        expect(await adapter.listAccountsByUserId("ada")).toEqual([])
        await adapter.linkAccount({ ...account, type: "oidc", userId: "ada" })
        await adapter.createSession({ sessionToken: "sesame", userId: "ada", expires })
        await adapter.createAuthenticator({ ...passkey, userId: "ada" })
        expect(await adapter.listAccountsByUserId("ada")).toHaveLength(1)
        expect(await adapter.listAuthenticatorsByUserId("ada")).toHaveLength(1)
        await adapter.deleteUser("ada")
        expect(await listKeys(client, prefix)).toEqual([])
      },
    )
  })

  it("takes nothing from those who got it since, when a removal is done again", async () => {
    await cutEverywhere(
      async () => {
        for (const id of ["ada", "ben"]) await adapter.createUser(person(id))
        await adapter.linkAccount({ ...account, type: "oidc", userId: "ada" })
        await adapter.createAuthenticator({ ...passkey, userId: "ada" })
      },
      (cut) => cut.deleteUser("ada"),
      async () => {
        if (await adapter.getUser("ada")) return
        await adapter.updateUser({ id: "ben", email: "ada@example.com" })
        await adapter.linkAccount({ ...account, type: "oidc", userId: "ben" })
        await adapter.createAuthenticator({ ...passkey, userId: "ben" })
        await adapter.deleteUser("ada")
        expect(await adapter.getUserByEmail("ada@example.com")).toMatchObject({ id: "ben" })
        expect(await adapter.getUserByAccount(account)).toMatchObject({ id: "ben" })
        expect(await adapter.listAuthenticatorsByUserId("ben")).toHaveLength(1)
      },
    )
  })

  it("keeps no account for a user who is removed while it is linked", async () => {
    await adapter.createUser(person("ada"))
    for (const at of [0, 1, 2]) {
      const late = watchedClient(client, async ({ index, send }) => {
        if (index === at) await adapter.deleteUser("ada")
        return await send()
      })
      const linking = RedisAdapter(late, { prefix }).linkAccount({ ...account, type: "oidc", userId: "ada" })
      await expect((async () => await linking)()).rejects.toThrow(/no such user|removed at the same time/)
      expect((await listKeys(client, prefix)).filter((key) => key.includes(":account:"))).toEqual([])
      await adapter.createUser(person("ada"))
    }
  })

  it("makes everything once where a client sends again what had no answer", async () => {
    const twice = watchedClient(client, async ({ send }) => {
      await send()
      return await send()
    })
    const again = RedisAdapter(twice, { prefix })
    const token = { identifier: "ada@example.com", token: "hash", expires }
    expect(await again.createUser(person("ada"))).toMatchObject({ id: "ada" })
    expect(await again.updateUser({ id: "ada", email: "new@example.com" })).toMatchObject({ email: "new@example.com" })
    expect(await again.linkAccount({ ...account, type: "oidc", userId: "ada" })).toMatchObject(account)
    expect(await again.createAuthenticator({ ...passkey, userId: "ada" })).toMatchObject(passkey)
    expect(await again.createSession({ sessionToken: "sesame", userId: "ada", expires })).toMatchObject({ expires })
    expect(await again.createVerificationToken(token)).toEqual(token)
    expect(await again.consumeOnce("flow", expires)).toBe(true)
    expect(await again.consumeOnce("flow", expires)).toBe(false)
    expect(await again.listAccountsByUserId("ada")).toHaveLength(1)
    expect(await again.getUserByEmail("new@example.com")).toMatchObject({ id: "ada" })
  })

  it("takes a verification token that was on its way away, and never gives it twice", async () => {
    const token = { identifier: "ada@example.com", token: "hash", expires }
    await cutEverywhere(
      () => adapter.createVerificationToken(token) as Promise<unknown>,
      (cut) => cut.useVerificationToken(token),
      async (isDone) => {
        const again = await adapter.useVerificationToken(token)
        if (isDone) expect(again).toBeNull()
      },
    )
  })
})
