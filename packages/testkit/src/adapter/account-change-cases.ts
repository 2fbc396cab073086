import type { Adapter, AdapterAccountChange, AdapterUser, EmailReplacement } from "@latchkey/core/adapters"
import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  expectRejection,
  orRejected,
  runConcurrently,
  sampleUser,
  unique,
} from "./adapter-case.js"

const expires = new Date("2036-02-29T23:59:59.987Z")
const verifiedAt = new Date("2026-03-29T00:59:59.998Z")

const newEmail = () => `${unique("ada")}@example.com`

type Replacement = EmailReplacement & { readonly to: string }

const toReplacement = (userId: string, from: string | null, fields: Partial<Replacement> = {}): Replacement => ({
  userId,
  from,
  to: newEmail(),
  emailVerified: verifiedAt,
  ...fields,
})

/**
 * The id of a user without an email, beside a user who has one. Null if the tables of a host require an address, after
 * checking that none can be removed there either.
 */
async function createWithoutEmail(
  adapter: Required<Adapter>,
): Promise<{ readonly id: string; readonly ben: AdapterUser } | null> {
  // as: the contract's type has no null, which is a user without an address.
  const user = sampleUser({ email: null as unknown as string, emailVerified: null })
  const created = await orRejected(() => adapter.createUser(user))
  const ben = await adapter.createUser(sampleUser())
  if (created) return { id: created.id, ben }
  const removal = { userId: ben.id, from: ben.email, to: null, emailVerified: null }
  expect((await orRejected(() => adapter.replaceEmail(removal))) ?? false).toBe(false)
  expectRecord(await adapter.getUser(ben.id), ben)
  return null
}

const emailCases: readonly AdapterCase[] = [
  {
    claim: "replaces the email of one user, and finds the user by the new one only",
    needs: ["createUser", "getUser", "getUserByEmail", "replaceEmail"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const change = toReplacement(ada.id, ada.email)
      expect(await adapter.replaceEmail(change)).toBe(true)
      const changed = { ...ada, email: change.to, emailVerified: verifiedAt }
      expectRecord(await adapter.getUser(ada.id), changed)
      expectRecord(await adapter.getUserByEmail(change.to), changed)
      expectNull(await adapter.getUserByEmail(ada.email))
      expectRecord(await adapter.getUser(ben.id), ben)
      expect(await adapter.replaceEmail({ ...change, from: change.to, to: ada.email, emailVerified: null })).toBe(true)
      expectRecord(await adapter.getUserByEmail(ada.email), { ...ada, emailVerified: null })
    },
  },
  {
    claim: "ACC-03: replaces no email unless the stored one is the given one",
    needs: ["createUser", "getUser", "getUserByEmail", "replaceEmail"],
    async run(adapter) {
      const { id, email } = await adapter.createUser(sampleUser({ emailVerified: null }))
      const refused = toReplacement(id, newEmail())
      expect(await adapter.replaceEmail(refused)).toBe(false)
      expect(await adapter.replaceEmail({ ...refused, from: email.toUpperCase() })).toBe(false)
      expect((await orRejected(() => adapter.replaceEmail(toReplacement(crypto.randomUUID(), email)))) ?? false).toBe(
        false,
      )
      expectRecord(await adapter.getUser(id), { email, emailVerified: null })
      expectNull(await adapter.getUserByEmail(refused.to))
    },
  },
  {
    claim: "gives a user without an email one, once, where it has transactions, and takes it away again",
    needs: ["createUser", "getUser", "getUserByEmail", "replaceEmail"],
    async run(adapter) {
      const users = await createWithoutEmail(adapter)
      if (!users) return
      const { id, ben } = users
      const given = toReplacement(id, null)
      // It takes a transaction, or a script as in Redis, which has details of sessions.
      const isPossible = "transaction" in adapter || "createSessionDetail" in adapter
      expect(await adapter.replaceEmail(given)).toBe(isPossible)
      expect(await adapter.replaceEmail(toReplacement(id, null))).toBe(false)
      expect(await adapter.replaceEmail(toReplacement(ben.id, null))).toBe(false)
      expect((await orRejected(() => adapter.replaceEmail(toReplacement(crypto.randomUUID(), null)))) ?? false).toBe(
        false,
      )
      expectRecord(await adapter.getUser(id), { email: isPossible ? given.to : null })
      expectRecord(await adapter.getUser(ben.id), ben)
      if (!isPossible) return
      expectRecord(await adapter.getUserByEmail(given.to), { id })
      expect(await adapter.replaceEmail({ userId: id, from: given.to, to: null, emailVerified: null })).toBe(true)
      expectRecord(await adapter.getUser(id), { email: null, emailVerified: null })
      expectNull(await adapter.getUserByEmail(given.to))
    },
  },
  {
    claim: "ACC-02: gives a user without an email none that another user has",
    needs: ["createUser", "getUser", "getUserByEmail", "replaceEmail"],
    async run(adapter) {
      const users = await createWithoutEmail(adapter)
      if (!users) return
      const { id, ben } = users
      expect((await orRejected(() => adapter.replaceEmail(toReplacement(id, null, { to: ben.email })))) ?? false).toBe(
        false,
      )
      expectRecord(await adapter.getUser(id), { email: null })
      expectRecord(await adapter.getUserByEmail(ben.email), ben)
    },
  },
  {
    claim: "ACC-02: replaces no email by one that another user has",
    needs: ["createUser", "getUser", "getUserByEmail", "replaceEmail"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      await expectRejection(() => adapter.replaceEmail(toReplacement(ada.id, ada.email, { to: ben.email })))
      expectRecord(await adapter.getUser(ada.id), ada)
      expectRecord(await adapter.getUserByEmail(ben.email), ben)
      expectRecord(await adapter.getUserByEmail(ada.email), ada)
    },
  },
  {
    claim: "replaces an email for exactly one of many concurrent callers",
    needs: ["createUser", "getUser", "getUserByEmail", "replaceEmail"],
    async run(adapter, callers) {
      const { id, email } = await adapter.createUser(sampleUser())
      const changes = Array.from({ length: callers }, () => toReplacement(id, email))
      const { results } = await runConcurrently(callers, async (index) => {
        const change = changes[index]
        return change && (await adapter.replaceEmail(change)) ? change.to : null
      })
      const won = results.filter((to) => to !== null)
      expect(won).toHaveLength(1)
      expectRecord(await adapter.getUser(id), { email: won[0] })
      for (const { to } of changes) if (to !== won[0]) expectNull(await adapter.getUserByEmail(to))
    },
  },
]

const toChange = (userId: string, fields: Partial<AdapterAccountChange> = {}): AdapterAccountChange => ({
  id: unique("email"),
  userId,
  kind: "email",
  value: unique("sealed"),
  expires,
  ...fields,
})

const keepingCases: readonly AdapterCase[] = [
  {
    claim: "finds a change of an account by id, with every field",
    needs: ["createUser", "createAccountChange", "getAccountChange"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const change = toChange(userId, { id: unique("email").padEnd(128, "0"), value: "sealed-".padEnd(4096, "x") })
      expect(await adapter.createAccountChange(change)).toBe(true)
      expectRecord(await adapter.getAccountChange(change.id), change)
      expectNull(await adapter.getAccountChange(change.id.slice(0, 127)))
    },
  },
  {
    claim: "lists the changes of one account, or those of one kind",
    needs: ["createUser", "createAccountChange", "listAccountChanges"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const kind = unique("kind")
      const [first, second] = [toChange(ada.id), toChange(ada.id, { kind })]
      const third = toChange(ben.id, { kind })
      for (const change of [first, second, third]) await adapter.createAccountChange(change)
      const idsOf = (changes: readonly AdapterAccountChange[]) => changes.map(({ id }) => id).sort()
      const own = await adapter.listAccountChanges({ userId: ada.id })
      expect(idsOf(own)).toEqual(idsOf([first, second]))
      expectRecord(
        own.find(({ id }) => id === second.id),
        second,
      )
      expect(idsOf(await adapter.listAccountChanges({ kind }))).toEqual(idsOf([second, third]))
      expect(await adapter.listAccountChanges({ kind: unique("kind") })).toEqual([])
      expect(await adapter.listAccountChanges({ userId: crypto.randomUUID() })).toEqual([])
    },
  },
  {
    claim: "ACC-03: stores a change of an account under an id for exactly one of many concurrent callers",
    needs: ["createUser", "createAccountChange", "getAccountChange"],
    async run(adapter, callers) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const id = unique("email")
      const changes = Array.from({ length: callers }, (_, n) => toChange(n % 2 === 0 ? ada.id : ben.id, { id }))
      const { results } = await runConcurrently(callers, async (index) => {
        const change = changes[index]
        return change && (await adapter.createAccountChange(change)) ? change.value : null
      })
      const won = results.filter((value) => value !== null)
      expect(won).toHaveLength(1)
      expectRecord(await adapter.getAccountChange(id), { value: won[0] })
    },
  },
  {
    claim: "stores no change of the account of an unknown user",
    needs: ["createAccountChange", "getAccountChange"],
    async run(adapter) {
      const change = toChange(crypto.randomUUID())
      expect((await orRejected(() => adapter.createAccountChange(change))) ?? false).toBe(false)
      expectNull(await adapter.getAccountChange(change.id))
    },
  },
  {
    claim: "deletes a change of an account for one of many concurrent callers, and only with its value",
    needs: ["createUser", "createAccountChange", "getAccountChange", "deleteAccountChange"],
    async run(adapter, callers) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const change = toChange(userId)
      await adapter.createAccountChange(change)
      expect(await adapter.deleteAccountChange({ id: change.id, value: unique("sealed") })).toBe(false)
      expectRecord(await adapter.getAccountChange(change.id), change)
      const { results } = await runConcurrently(callers, () => adapter.deleteAccountChange(change))
      expect(results.filter((isDeleted) => isDeleted)).toEqual([true])
      expectNull(await adapter.getAccountChange(change.id))
      expect(await adapter.createAccountChange(change)).toBe(true)
    },
  },
  {
    claim: "deletes the changes of an account with its user",
    needs: ["createUser", "deleteUser", "createAccountChange", "getAccountChange", "listAccountChanges"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const change = toChange(userId, { kind: unique("kind") })
      await adapter.createAccountChange(change)
      await adapter.deleteUser(userId)
      expectNull(await adapter.getAccountChange(change.id))
      expect(await adapter.listAccountChanges({ kind: change.kind })).toEqual([])
    },
  },
]

/** Promises about changes of accounts. */
export const accountChangeCases: readonly AdapterCase[] = [...emailCases, ...keepingCases]
