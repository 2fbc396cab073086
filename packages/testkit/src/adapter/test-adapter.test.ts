import type { Adapter } from "@latchkey/core/adapters"
import { describe, expect, it } from "vitest"
import { type MemoryAdapter, memoryAdapter } from "./memory-adapter.js"
import { adapterCases, testAdapter } from "./test-adapter.js"

interface Fault {
  readonly what: string
  /** Claims that the suite must find broken. */
  readonly breaks: readonly string[]
  plant(sound: MemoryAdapter): Partial<Adapter>
}

/** Lets other callers come in between, as a store over the network does. */
async function pause(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

const faults: readonly Fault[] = [
  {
    what: "looks before it spends a verification token",
    breaks: ["ADP-04: gives a verification token to exactly one of many callers"],
    plant(sound) {
      const spent = new Set<string>()
      const kept = new Map<string, { identifier: string; token: string; expires: Date }>()
      return {
        createVerificationToken: async (token) => {
          kept.set(token.token, token)
          return await sound.createVerificationToken(token)
        },
        async useVerificationToken({ identifier, token }) {
          const found = spent.has(token) ? undefined : kept.get(token)
          await pause()
          if (found?.identifier !== identifier) return null
          spent.add(token)
          return found
        },
      }
    },
  },
  {
    what: "looks before it creates a user",
    breaks: ["ADP-05: creates one user when many callers bring the same email"],
    plant: (sound) => ({
      async createUser(user) {
        if ((await sound.getUserByEmail(user.email)) !== null) throw new Error("taken")
        await pause()
        return (await sound.getUserByEmail(user.email)) ?? (await sound.createUser(user))
      },
    }),
  },
  {
    what: "writes a whole session where it should change one",
    breaks: [
      "ADP-07: makes no session when it is to change one that is not there",
      "ADP-07: never brings a deleted session back, however many callers extend it meanwhile",
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
    what: "sets a counter to whatever it is given",
    breaks: [
      "ADP-08: never moves a counter back",
      "ADP-08: keeps the largest counter that many callers bring in any order",
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
    what: "looks before it spends an id",
    breaks: ["lets exactly one of many callers spend an id"],
    plant() {
      const spent = new Set<string>()
      return {
        async consumeOnce(id) {
          const isFirst = !spent.has(id)
          await pause()
          spent.add(id)
          return isFirst
        },
      }
    },
  },
  {
    what: "changes whatever it is told of an authenticator",
    breaks: ["changes neither the counter nor the key nor the owner of an authenticator"],
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
    what: "compares without regard to case and surrounding blanks",
    breaks: [
      "ADP-13: does not take a look-alike email for a user's",
      "ADP-13: does not take a look-alike session token for a session's",
    ],
    plant: (sound) => ({
      getUserByEmail: async (email) => await sound.getUserByEmail(email.trim().toLowerCase()),
      getSessionAndUser: async (sessionToken) => await sound.getSessionAndUser(sessionToken.trim().toLowerCase()),
    }),
  },
  {
    what: "keeps dates to the second",
    breaks: ["keeps the instant 2025-10-26T01:30:00.999Z to the millisecond"],
    plant: (sound) => ({
      createUser: async (user) =>
        await sound.createUser({
          ...user,
          emailVerified: user.emailVerified && new Date(Math.floor(user.emailVerified.getTime() / 1000) * 1000),
        }),
    }),
  },
  {
    what: "gives dates as text",
    breaks: ["finds a session together with its user, with every field of both"],
    plant: (sound) => ({
      async getSessionAndUser(sessionToken) {
        const found = await sound.getSessionAndUser(sessionToken)
        return found && JSON.parse(JSON.stringify(found))
      },
    }),
  },
  {
    what: "keeps the very object it was given",
    breaks: ["ADP-12: is not changed by changing a user it was given or gave"],
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
    what: "leaves a deleted user's sessions behind",
    breaks: ["DBS-07: lets a deleted user's sessions go too"],
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
    what: "proves a user rather than an address",
    breaks: ["keeps that an address is proven for this user and this address alone, however often it is told"],
    plant(sound) {
      const proven = new Set<string>()
      return {
        markEmailVerified: async ({ userId }) => void proven.add(userId),
        isEmailVerified: async ({ id }) => proven.has(id) || sound.isEmailVerified({ id, email: "" }),
      }
    },
  },
  {
    what: "proves an address rather than a user",
    breaks: ["forgets with a user that an address was proven"],
    plant() {
      const proven = new Set<string>()
      return {
        markEmailVerified: async ({ email }) => void proven.add(email),
        isEmailVerified: async ({ email }) => proven.has(email),
      }
    },
  },
  {
    what: "inserts a proof each time",
    breaks: ["lets many callers prove one address at once"],
    plant(sound) {
      const proven = new Set<string>()
      return {
        async markEmailVerified(vouched) {
          if (proven.has(vouched.userId)) throw new Error("exists already")
          proven.add(vouched.userId)
          return await sound.markEmailVerified(vouched)
        },
      }
    },
  },
  {
    what: "lists everybody's accounts",
    breaks: ["lists a user's accounts, with every field, and nobody else's"],
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
    breaks: ["ADP-01: keeps, changes and deletes sessions by the very text of their tokens"],
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
    what: "takes a record's keys for names of its own",
    breaks: ["ADP-03: takes no name from the keys of a record that it is given"],
    plant: (sound) => ({
      async linkAccount(account): Promise<void> {
        const { user_id } = account
        await sound.linkAccount({ ...account, ...(typeof user_id === "string" && { userId: user_id }) })
      },
    }),
  },
  {
    what: "cuts long tokens off",
    breaks: ["keeps tokens of eight kilobytes"],
    plant: (sound) => ({
      async linkAccount(account): Promise<void> {
        await sound.linkAccount({ ...account, access_token: `${account.access_token}`.slice(0, 255) })
      },
    }),
  },
  {
    what: "takes an operator for a key",
    breaks: ["ADP-02: finds nothing by a key that is no text"],
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
    what: "finds by pattern",
    breaks: ['ADP-01: takes "%" literally in every field'],
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
      it(`finds out an adapter that ${what}: ${claim}`, async () => {
        const one = allCases.find((candidate) => candidate.claim === claim)
        const sound = memoryAdapter()
        await expect(one?.run({ ...sound, ...plant(sound) } as MemoryAdapter, 50)).rejects.toThrow()
      })
    }
  }

  it("refuses to leave out a claim that it does not make", () => {
    const notPromised = { "finds everybody": "it does not" }
    expect(() => testAdapter({ create: () => ({ adapter: memoryAdapter() }), notPromised })).toThrow("finds everybody")
  })

  it("states every claim once within its subject", () => {
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
