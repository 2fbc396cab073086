import type { Adapter, AdapterAccount } from "@latchkey/core/adapters"
import { describe, expect, it } from "vitest"
import { type MemoryAdapter, memoryAdapter } from "./memory-adapter.js"
import { adapterCases, testAdapter } from "./test-adapter.js"

interface Fault {
  readonly what: string
  /** Claims that the suite must report as broken. */
  readonly breaks: readonly string[]
  plant(sound: MemoryAdapter): Partial<Adapter>
}

/** Lets other callers run, as a store over the network does. */
async function pause(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

const faults: readonly Fault[] = [
  {
    what: "reads a verification token before it deletes it",
    breaks: ["ADP-04: returns a verification token to exactly one of many concurrent callers"],
    plant(sound) {
      const consumed = new Set<string>()
      const kept = new Map<string, { identifier: string; token: string; expires: Date }>()
      return {
        createVerificationToken: async (token) => {
          kept.set(token.token, token)
          return await sound.createVerificationToken(token)
        },
        async useVerificationToken({ identifier, token }) {
          const found = consumed.has(token) ? undefined : kept.get(token)
          await pause()
          if (found?.identifier !== identifier) return null
          consumed.add(token)
          return found
        },
      }
    },
  },
  {
    what: "checks for the email before it creates a user",
    breaks: ["ADP-05: creates one user when many concurrent callers use the same email"],
    plant: (sound) => ({
      async createUser(user) {
        if ((await sound.getUserByEmail(user.email)) !== null) throw new Error("taken")
        await pause()
        return (await sound.getUserByEmail(user.email)) ?? (await sound.createUser(user))
      },
    }),
  },
  {
    what: "replaces a session instead of updating it",
    breaks: [
      "ADP-07: creates no session when updating an unknown one",
      "ADP-07: does not restore a deleted session that many concurrent callers update",
    ],
    plant: (sound) => ({
      async updateSession({ sessionToken, expires = new Date() }) {
        const user = await sound.createUser({
          id: crypto.randomUUID(),
          email: crypto.randomUUID(),
          emailVerified: null,
        })
        await sound.deleteSession(sessionToken)
        return await sound.createSession({ sessionToken, userId: user.id, expires })
      },
    }),
  },
  {
    what: "sets a counter to any value",
    breaks: [
      "ADP-08: never decreases a counter",
      "ADP-08: keeps the largest counter of many concurrent callers in any order",
    ],
    plant(sound) {
      const counters = new Map<string, number>()
      const withCounter = async (credentialID: string) => {
        const found = await sound.getAuthenticator(credentialID)
        return found && { ...found, counter: counters.get(credentialID) ?? found.counter }
      }
      return {
        getAuthenticator: withCounter,
        async updateAuthenticatorCounter(credentialID, newCounter) {
          counters.set(credentialID, newCounter)
          return (await withCounter(credentialID)) ?? Promise.reject(new Error("unknown"))
        },
      }
    },
  },
  {
    what: "checks for an id before it stores it",
    breaks: ["consumes an id for exactly one of many concurrent callers"],
    plant() {
      const consumed = new Set<string>()
      return {
        async consumeOnce(id) {
          const isFirst = !consumed.has(id)
          await pause()
          consumed.add(id)
          return isFirst
        },
      }
    },
  },
  {
    what: "updates every field of an authenticator",
    breaks: ["does not update the counter, the key or the user of an authenticator"],
    plant(sound) {
      let changed = {}
      return {
        async updateAuthenticator(changes) {
          changed = changes
          return await sound.updateAuthenticator(changes)
        },
        getAuthenticator: async (credentialID) => {
          const found = await sound.getAuthenticator(credentialID)
          return found && { ...found, ...changed }
        },
      }
    },
  },
  {
    what: "ignores case and surrounding whitespace",
    breaks: [
      "ADP-13: does not find a user by a look-alike email",
      "ADP-13: does not find a session by a look-alike token",
    ],
    plant: (sound) => ({
      getUserByEmail: async (email) => await sound.getUserByEmail(email.trim().toLowerCase()),
      getSessionAndUser: async (sessionToken) => await sound.getSessionAndUser(sessionToken.trim().toLowerCase()),
    }),
  },
  {
    what: "stores dates to the second",
    breaks: ["stores the date 2025-10-26T01:30:00.999Z to the millisecond"],
    plant: (sound) => ({
      createUser: async (user) =>
        await sound.createUser({
          ...user,
          emailVerified: user.emailVerified && new Date(Math.floor(user.emailVerified.getTime() / 1000) * 1000),
        }),
    }),
  },
  {
    what: "returns dates as text",
    breaks: ["finds a session with its user, with every field of both"],
    plant: (sound) => ({
      async getSessionAndUser(sessionToken) {
        const found = await sound.getSessionAndUser(sessionToken)
        return found && JSON.parse(JSON.stringify(found))
      },
    }),
  },
  {
    what: "stores the given object itself",
    breaks: ["ADP-12: stores a copy of a user, and returns copies"],
    plant() {
      const users = new Map<string, Parameters<MemoryAdapter["createUser"]>[0]>()
      return {
        createUser(user) {
          users.set(user.id, user)
          return user
        },
        getUser: (id) => users.get(id) ?? null,
      }
    },
  },
  {
    what: "keeps the sessions of a deleted user",
    breaks: ["DBS-07: deletes a user's sessions with the user"],
    plant(sound) {
      const remembered = new Map<string, Awaited<ReturnType<MemoryAdapter["getSessionAndUser"]>>>()
      return {
        async createSession(session) {
          const created = await sound.createSession(session)
          remembered.set(session.sessionToken, await sound.getSessionAndUser(session.sessionToken))
          return created
        },
        getSessionAndUser: (sessionToken) => remembered.get(sessionToken) ?? null,
      }
    },
  },
  {
    what: "marks a user as verified instead of an email",
    breaks: ["marks an email as verified for this user and this email only, any number of times"],
    plant(sound) {
      const proven = new Set<string>()
      return {
        markEmailVerified: async ({ userId }) => void proven.add(userId),
        isEmailVerified: async ({ id }) => proven.has(id) || sound.isEmailVerified({ id, email: "" }),
      }
    },
  },
  {
    what: "marks an email as verified for all users",
    breaks: ["deletes a user's verified emails with the user"],
    plant() {
      const proven = new Set<string>()
      return {
        markEmailVerified: async ({ email }) => void proven.add(email),
        isEmailVerified: async ({ email }) => proven.has(email),
      }
    },
  },
  {
    what: "inserts a verified email every time",
    breaks: ["lets many concurrent callers mark one email as verified"],
    plant(sound) {
      const proven = new Set<string>()
      return {
        async markEmailVerified(email) {
          if (proven.has(email.userId)) throw new Error("exists already")
          proven.add(email.userId)
          return await sound.markEmailVerified(email)
        },
      }
    },
  },
  {
    what: "lists the accounts of all users",
    breaks: ["lists only the user's own accounts, with every field"],
    plant(sound) {
      const owners = new Set<string>()
      return {
        async linkAccount(account): Promise<void> {
          owners.add(account.userId)
          await sound.linkAccount(account)
        },
        async listAccountsByUserId() {
          return (await Promise.all([...owners].map((id) => sound.listAccountsByUserId(id)))).flat()
        },
      }
    },
  },
  {
    what: "deletes sessions by pattern",
    breaks: ["ADP-01: stores, updates and deletes sessions by their exact tokens"],
    plant(sound) {
      const tokens = new Set<string>()
      return {
        async createSession(session) {
          tokens.add(session.sessionToken)
          return await sound.createSession(session)
        },
        async deleteSession(sessionToken) {
          const meant = sessionToken === "%" ? [...tokens] : [sessionToken]
          for (const token of meant) await sound.deleteSession(token)
        },
      }
    },
  },
  {
    what: "uses the keys of a record as column names",
    breaks: ["ADP-03: does not use keys of a record as column names"],
    plant: (sound) => ({
      async linkAccount(account): Promise<void> {
        const { user_id } = account
        await sound.linkAccount({ ...account, ...(typeof user_id === "string" && { userId: user_id }) })
      },
    }),
  },
  {
    what: "truncates long tokens",
    breaks: ["stores tokens of 8 KB"],
    plant: (sound) => ({
      async linkAccount(account): Promise<void> {
        await sound.linkAccount({ ...account, access_token: `${account.access_token}`.slice(0, 255) })
      },
    }),
  },
  {
    what: "accepts an operator as a key",
    breaks: ["ADP-02: finds nothing by a key that is not a string"],
    plant(sound) {
      let last: string
      return {
        createUser: async (user) => {
          const created = await sound.createUser(user)
          last = created.id
          return created
        },
        getUser: async (id) => await sound.getUser(typeof id === "object" ? last : id),
      }
    },
  },
  {
    what: "counts sessions before it stores one",
    breaks: ["refuse", "end-oldest"].map(
      (over) => `SESS-07: keeps the limit when 20 sessions of one user begin at once: ${over}`,
    ),
    plant: (sound) => ({
      async createSessionDetail(detail, { session, limit } = {}) {
        const others = await sound.listSessionsByUserId(detail.userId)
        await pause()
        if (limit?.over === "refuse" && others.length >= limit.count) return false
        return await sound.createSessionDetail(detail, session && { session })
      },
    }),
  },
  {
    what: "ends sessions without their rows",
    breaks: ["ends all sessions of a user, details and session rows"],
    plant(sound) {
      const ended = new Set<string>()
      return {
        async endSessions(selection) {
          const live = "userId" in selection ? await sound.listSessionsByUserId(selection.userId) : []
          for (const { id } of live) ended.add(id)
          return live.length
        },
        listSessionsByUserId: async (userId) =>
          (await sound.listSessionsByUserId(userId)).filter(({ id }) => !ended.has(id)),
      }
    },
  },
  {
    what: "stores a session again when it is seen",
    breaks: ["SESS-04: does not bring back an ended session that many concurrent callers see"],
    plant(sound) {
      const known = new Map<string, Parameters<MemoryAdapter["createSessionDetail"]>[0]>()
      return {
        async createSessionDetail(detail, options) {
          known.set(detail.id, detail)
          return await sound.createSessionDetail(detail, options)
        },
        seeSession: ({ id }) => known.get(id) ?? null,
      }
    },
  },
  {
    what: "compares before it writes",
    breaks: [
      "replaces a password for exactly one of many concurrent callers",
      "replaces tokens for exactly one of many concurrent callers",
    ],
    plant: (sound) => ({
      async setPassword({ from, ...password }) {
        const hash = (await sound.getPassword(password.userId))?.hash ?? null
        await pause()
        if (hash !== from) return false
        await sound.deletePassword(password.userId)
        return await sound.setPassword({ ...password, from: null })
      },
      async replaceTokens(key, { from, tokens }) {
        const account = await sound.getAccount(key.providerAccountId, key.provider)
        await pause()
        if (!account || account.refresh_token !== from) return false
        await sound.unlinkAccount(key)
        await sound.linkAccount({ ...account, ...tokens } as AdapterAccount) // as: without an expiry it is null
        return true
      },
    }),
  },
  {
    what: "runs a transaction as single calls",
    breaks: ["undoes all writes of a transaction that fails, and throws its error"],
    plant: (sound) => ({ transaction: (work) => work(sound as never) }),
  },
  {
    what: "finds by pattern",
    breaks: ['ADP-01: treats "%" literally in every field'],
    plant(sound) {
      let last: string
      return {
        createUser: async (user) => {
          const created = await sound.createUser(user)
          last = created.email
          return created
        },
        getUserByEmail: async (email) => await sound.getUserByEmail(email === "%" ? last : email),
      }
    },
  },
]

const allCases = Object.values(adapterCases).flat()

describe("the adapter suite", () => {
  for (const { what, breaks, plant } of faults) {
    for (const claim of breaks) {
      it(`detects an adapter that ${what}: ${claim}`, async () => {
        const one = allCases.find((candidate) => candidate.claim === claim)
        const sound = memoryAdapter()
        await expect(one?.run({ ...sound, ...plant(sound) } as MemoryAdapter, 50)).rejects.toThrow()
      })
    }
  }

  it("throws for an unknown claim in notPromised", () => {
    const notPromised = { "finds all users": "it does not" }
    expect(() => testAdapter({ create: () => ({ adapter: memoryAdapter() }), notPromised })).toThrow("finds all users")
  })

  it("has no duplicate claims within a subject", () => {
    for (const cases of Object.values(adapterCases)) {
      const claims = cases.map((one) => one.claim)
      expect(new Set(claims).size).toBe(claims.length)
    }
  })

  it("tests every method of the contract", () => {
    const sound = Object.keys(memoryAdapter()).filter((key) => key !== "calls")
    const tested = new Set<string>(allCases.flatMap((one) => one.needs))
    expect([...tested].sort()).toEqual(sound.sort())
  })
})
