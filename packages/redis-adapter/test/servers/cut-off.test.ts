import { RedisAdapter, type RedisMethods } from "@latchkey/redis-adapter"
import { hasProgram } from "@latchkey/testkit/servers"
import type { Redis } from "ioredis"
import { beforeEach, describe, expect, it } from "vitest"
import { withRedis } from "./redis-setup.js"
import { type InterruptedSteps, interruptAtEachCommand, listKeys, watchedClient } from "./watched-client.js"

// An operation over several slots takes several steps. After an interruption at any of them, the data is consistent.

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

describe.skipIf(!hasProgram("redis-server"))("RedisAdapter after an interruption", () => {
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

  const interruptEverywhere = (...steps: InterruptedSteps) => interruptAtEachCommand(client, begin, steps)

  /** Expects that the owner has the email, or that a new user can have it. */
  async function expectConsistentEmail(email: string, owner: string): Promise<boolean> {
    const found = await adapter.getUserByEmail(email)
    if (found) expect([found.id, (await adapter.getUser(owner))?.email]).toEqual([owner, email])
    const another = adapter.createUser(person("new", email))
    if (found) await expect(another).rejects.toThrow("the email is taken")
    else expect(await another).toMatchObject({ id: "new", email })
    return found !== null
  }

  it("createUser leaves a user with the email, or a free email", async () => {
    const runs = await interruptEverywhere(
      async () => undefined,
      (interrupted) => interrupted.createUser(person("ada")),
      async (isDone) => {
        const isThere = await expectConsistentEmail("ada@example.com", "ada")
        if (isDone) expect(isThere).toBe(true)
      },
    )
    expect(runs).toBeGreaterThan(6)
  })

  it("createUser leaves no visible user that expires", async () => {
    await interruptEverywhere(
      async () => undefined,
      (interrupted) => interrupted.createUser(person("ada")),
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
        for (const call of calls) await expect((async () => await call())()).rejects.toThrow("does not exist")
        expect(await adapter.listAccountsByUserId("ada")).toEqual([])
        expect(await adapter.deleteUser("ada")).toBeNull()
      },
    )
  })

  it("updateUser leaves the old or the new email, and the other one free", async () => {
    const runs = await interruptEverywhere(
      () => adapter.createUser(person("ada")) as Promise<unknown>,
      (interrupted) => interrupted.updateUser({ id: "ada", email: "lovelace@example.com", name: "Ada Lovelace" }),
      async (isDone) => {
        const hasNew = await expectConsistentEmail("lovelace@example.com", "ada")
        if (isDone) expect(hasNew).toBe(true)
        expect((await adapter.getUser("ada"))?.name).toBe(hasNew ? "Ada Lovelace" : undefined)
        await adapter.deleteUser("new")
        expect(await expectConsistentEmail("ada@example.com", "ada")).toBe(!hasNew)
      },
    )
    expect(runs).toBeGreaterThan(8)
  })

  it("linkAccount leaves a linked and listed account, or one that another user can link", async () => {
    await interruptEverywhere(
      async () => {
        for (const id of ["ada", "ben"]) await adapter.createUser(person(id))
      },
      (interrupted) => interrupted.linkAccount({ ...account, type: "oidc", userId: "ada" }),
      async (isDone) => {
        const owner = await adapter.getUserByAccount(account)
        if (isDone) expect(owner?.id).toBe("ada")
        expect((await adapter.listAccountsByUserId("ada")).length).toBe(owner ? 1 : 0)
        const another = adapter.linkAccount({ ...account, type: "oidc", userId: "ben" })
        if (owner) await expect(another).rejects.toThrow("already exists")
        else expect(await another).toMatchObject({ userId: "ben" })
        expect((await adapter.listAccountsByUserId("ada")).length).toBe(owner ? 1 : 0)
      },
    )
  })

  it("createAuthenticator leaves a passkey that is found and listed, or none", async () => {
    await interruptEverywhere(
      () => adapter.createUser(person("ada")) as Promise<unknown>,
      (interrupted) => interrupted.createAuthenticator({ ...passkey, userId: "ada" }),
      async (isDone) => {
        const found = await adapter.getAuthenticator("key")
        if (isDone) expect(found).not.toBeNull()
        expect(await adapter.listAuthenticatorsByUserId("ada")).toEqual(found ? [found] : [])
      },
    )
  })

  it("createSession leaves a session, or lets a later call create it", async () => {
    const session = { sessionToken: "sesame", userId: "ada", expires }
    await interruptEverywhere(
      () => adapter.createUser(person("ada")) as Promise<unknown>,
      (interrupted) => interrupted.createSession(session),
      async (isDone) => {
        const found = await adapter.getSessionAndUser("sesame")
        if (isDone) expect(found?.session).toEqual(session)
        if (!found) expect(await adapter.createSession(session)).toEqual(session)
      },
    )
  })

  it("deleteUser leaves everything or nothing of the user visible, and no keys after a second call", async () => {
    const token = "sesame"
    const runs = await interruptEverywhere(
      async () => {
        await adapter.createUser(person("ada"))
        await adapter.linkAccount({ ...account, type: "oidc", userId: "ada" })
        await adapter.createSession({ sessionToken: token, userId: "ada", expires })
        await adapter.createAuthenticator({ ...passkey, userId: "ada" })
        await adapter.markEmailVerified({ userId: "ada", email: "ada@example.com", provider: "harbour" })
      },
      (interrupted) => interrupted.deleteUser("ada"),
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

  it("deleteUser lets a new user with the same id have the same records", async () => {
    await interruptEverywhere(
      async () => {
        await adapter.createUser(person("ada"))
        await adapter.linkAccount({ ...account, type: "oidc", userId: "ada" })
        await adapter.createSession({ sessionToken: "sesame", userId: "ada", expires })
        await adapter.createAuthenticator({ ...passkey, userId: "ada" })
      },
      (interrupted) => interrupted.deleteUser("ada"),
      async () => {
        if (await adapter.getUser("ada")) return
        // A new user with the same id inherits nothing.
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

  it("a repeated deleteUser deletes nothing that another user has since taken over", async () => {
    await interruptEverywhere(
      async () => {
        for (const id of ["ada", "ben"]) await adapter.createUser(person(id))
        await adapter.linkAccount({ ...account, type: "oidc", userId: "ada" })
        await adapter.createAuthenticator({ ...passkey, userId: "ada" })
      },
      (interrupted) => interrupted.deleteUser("ada"),
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

  it("linkAccount leaves no account if the user is deleted at the same time", async () => {
    await adapter.createUser(person("ada"))
    for (const at of [0, 1, 2]) {
      const late = watchedClient(client, async ({ index, send }) => {
        if (index === at) await adapter.deleteUser("ada")
        return await send()
      })
      const linking = RedisAdapter(late, { prefix }).linkAccount({ ...account, type: "oidc", userId: "ada" })
      await expect((async () => await linking)()).rejects.toThrow(/does not exist|deleted at the same time/)
      expect((await listKeys(client, prefix)).filter((key) => key.includes(":account:"))).toEqual([])
      await adapter.createUser(person("ada"))
    }
  })

  it("applies an operation once if the client repeats a command without a response", async () => {
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

  it("useVerificationToken never returns the token twice", async () => {
    const token = { identifier: "ada@example.com", token: "hash", expires }
    await interruptEverywhere(
      () => adapter.createVerificationToken(token) as Promise<unknown>,
      (interrupted) => interrupted.useVerificationToken(token),
      async (isDone) => {
        const again = await adapter.useVerificationToken(token)
        if (isDone) expect(again).toBeNull()
      },
    )
  })
})
