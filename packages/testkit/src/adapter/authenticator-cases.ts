import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  expectRejection,
  sampleAuthenticator,
  sampleUser,
  unique,
} from "./adapter-case.js"

/** The counter has 32 bits, WebAuthn Level 3 section 6.1.1. */
const largestCounter = 4_294_967_295

const keeping: readonly AdapterCase[] = [
  {
    claim: "returns null for an unknown credential id",
    needs: ["getAuthenticator"],
    run: async (adapter) => expectNull(await adapter.getAuthenticator(btoa(unique("credential")))),
  },
  {
    claim: "lists no authenticators for an unknown user",
    needs: ["listAuthenticatorsByUserId"],
    run: async (adapter) => expect(await adapter.listAuthenticatorsByUserId(crypto.randomUUID())).toEqual([]),
  },
  {
    claim: "rejects a second authenticator with the same credential id",
    needs: ["createUser", "createAuthenticator", "getAuthenticator"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const { credentialID } = await adapter.createAuthenticator(sampleAuthenticator(ada.id))
      await expectRejection(() => adapter.createAuthenticator(sampleAuthenticator(ben.id, { credentialID })))
      expectRecord(await adapter.getAuthenticator(credentialID), { userId: ada.id })
    },
  },
  ...[true, false].map(
    (credentialBackedUp): AdapterCase => ({
      claim: `finds an authenticator, with every field (backed up: ${credentialBackedUp})`,
      needs: ["createUser", "createAuthenticator", "getAuthenticator"],
      async run(adapter) {
        const { id } = await adapter.createUser(sampleUser())
        const sample = sampleAuthenticator(id, { credentialBackedUp, counter: 7 })
        expectRecord(await adapter.createAuthenticator(sample), sample)
        expectRecord(await adapter.getAuthenticator(sample.credentialID), sample)
      },
    }),
  ),
  {
    claim: "stores the largest possible counter",
    needs: ["createUser", "createAuthenticator", "getAuthenticator"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const sample = sampleAuthenticator(id, { counter: largestCounter })
      await adapter.createAuthenticator(sample)
      expectRecord(await adapter.getAuthenticator(sample.credentialID), sample)
    },
  },
  {
    claim: "stores an authenticator without transports",
    needs: ["createUser", "createAuthenticator", "getAuthenticator"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const { credentialID } = await adapter.createAuthenticator(sampleAuthenticator(id, { transports: null }))
      expectRecord(await adapter.getAuthenticator(credentialID), { transports: null })
    },
  },
  {
    claim: "lists only the user's own authenticators",
    needs: ["createUser", "createAuthenticator", "listAuthenticatorsByUserId"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const own = [sampleAuthenticator(ada.id), sampleAuthenticator(ada.id)]
      for (const one of [...own, sampleAuthenticator(ben.id)]) await adapter.createAuthenticator(one)
      const listed = await adapter.listAuthenticatorsByUserId(ada.id)
      expect(listed.map((one) => one.credentialID).sort()).toEqual(own.map((one) => one.credentialID).sort())
    },
  },
]

const counting: readonly AdapterCase[] = [
  {
    claim: "rejects a counter update of an unknown authenticator, and creates none",
    needs: ["updateAuthenticatorCounter", "getAuthenticator"],
    async run(adapter) {
      const credentialID = btoa(unique("credential"))
      await expectRejection(() => adapter.updateAuthenticatorCounter(credentialID, 1))
      expectNull(await adapter.getAuthenticator(credentialID))
    },
  },
  {
    claim: "ADP-08: never decreases a counter",
    needs: ["createUser", "createAuthenticator", "updateAuthenticatorCounter", "getAuthenticator"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const { credentialID } = await adapter.createAuthenticator(sampleAuthenticator(id, { counter: 12 }))
      try {
        await adapter.updateAuthenticatorCounter(credentialID, 11)
      } catch {
        // Rejecting is as good as ignoring: only the stored value counts.
      }
      expectRecord(await adapter.getAuthenticator(credentialID), { counter: 12 })
    },
  },
  {
    claim: "increases one counter and no other",
    needs: ["createUser", "createAuthenticator", "updateAuthenticatorCounter", "getAuthenticator"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const [used, idle] = [sampleAuthenticator(id), sampleAuthenticator(id)]
      for (const one of [used, idle]) await adapter.createAuthenticator(one)
      expectRecord(await adapter.updateAuthenticatorCounter(used.credentialID, 7), { ...used, counter: 7 })
      expectRecord(await adapter.getAuthenticator(used.credentialID), { ...used, counter: 7 })
      expectRecord(await adapter.getAuthenticator(idle.credentialID), idle)
    },
  },
  {
    claim: "accepts a counter that stays at zero",
    needs: ["createUser", "createAuthenticator", "updateAuthenticatorCounter"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const { credentialID } = await adapter.createAuthenticator(sampleAuthenticator(id))
      expectRecord(await adapter.updateAuthenticatorCounter(credentialID, 0), { credentialID, counter: 0 })
    },
  },
]

const owning: readonly AdapterCase[] = [
  {
    claim: "rejects an update of an unknown authenticator, and creates none",
    needs: ["updateAuthenticator", "getAuthenticator"],
    async run(adapter) {
      const credentialID = btoa(unique("credential"))
      await expectRejection(() => adapter.updateAuthenticator({ credentialID, name: "Phone" }))
      expectNull(await adapter.getAuthenticator(credentialID))
    },
  },
  {
    claim: "updates the name and last use of one authenticator and no other",
    needs: ["createUser", "createAuthenticator", "updateAuthenticator", "getAuthenticator"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const [used, idle] = [sampleAuthenticator(id), sampleAuthenticator(id)]
      for (const one of [used, idle]) await adapter.createAuthenticator(one)
      const changes = { name: "Ada's phone", lastUsedAt: new Date("2040-02-29T23:59:59.987Z") }
      const { credentialID } = used
      expectRecord(await adapter.updateAuthenticator({ credentialID, ...changes }), { ...used, ...changes })
      expectRecord(await adapter.updateAuthenticator({ credentialID, credentialBackedUp: false }), changes)
      expectRecord(await adapter.getAuthenticator(credentialID), { ...used, ...changes, credentialBackedUp: false })
      expectRecord(await adapter.getAuthenticator(idle.credentialID), { ...idle, name: null, lastUsedAt: null })
    },
  },
  {
    claim: "does not update the counter, the key or the user of an authenticator",
    needs: ["createUser", "createAuthenticator", "updateAuthenticator", "getAuthenticator"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const sample = sampleAuthenticator(ada.id, { counter: 7 })
      await adapter.createAuthenticator(sample)
      const { credentialID } = sample
      const theirs = { counter: 1, credentialPublicKey: btoa(unique("key")), userId: ben.id, providerAccountId: "x" }
      await adapter.updateAuthenticator({ credentialID, name: "Mine", ...theirs })
      expectRecord(await adapter.getAuthenticator(credentialID), { ...sample, name: "Mine" })
    },
  },
  {
    claim: "deletes one authenticator and no other",
    needs: ["createUser", "createAuthenticator", "deleteAuthenticator", "getAuthenticator"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const [gone, kept] = [sampleAuthenticator(id), sampleAuthenticator(id)]
      for (const one of [gone, kept]) await adapter.createAuthenticator(one)
      await adapter.deleteAuthenticator(gone.credentialID)
      expectNull(await adapter.getAuthenticator(gone.credentialID))
      expectRecord(await adapter.getAuthenticator(kept.credentialID), kept)
    },
  },
  {
    claim: "deletes an unknown authenticator without an error",
    needs: ["deleteAuthenticator"],
    run: async (adapter) => expectNull(await adapter.deleteAuthenticator(btoa(unique("credential")))),
  },
  {
    claim: "does not restore a deleted authenticator by a counter update",
    needs: [
      "createUser",
      "createAuthenticator",
      "deleteAuthenticator",
      "updateAuthenticatorCounter",
      "getAuthenticator",
    ],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const { credentialID } = await adapter.createAuthenticator(sampleAuthenticator(id))
      await adapter.deleteAuthenticator(credentialID)
      await expectRejection(() => adapter.updateAuthenticatorCounter(credentialID, 1))
      expectNull(await adapter.getAuthenticator(credentialID))
    },
  },
]

/** Promises about authenticators. */
export const authenticatorCases: readonly AdapterCase[] = [...keeping, ...counting, ...owning]
