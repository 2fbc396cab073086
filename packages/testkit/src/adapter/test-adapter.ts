import type { Adapter, Awaitable } from "@latchkey/core/adapters"
import { describe, expect, it } from "vitest"
import { accountCases } from "./account-cases.js"
import type { AdapterCase, AdapterMethod } from "./adapter-case.js"
import { authenticatorCases } from "./authenticator-cases.js"
import { exactnessCases, injectionCases } from "./hostile-value-cases.js"
import { isolationCases, parallelCases } from "./isolation-cases.js"
import { sessionCases, tokenCases } from "./session-cases.js"
import { emailCases, userCases } from "./user-cases.js"

/** An adapter that is open for one test. */
export interface AdapterUnderTest {
  readonly adapter: Adapter
  /** Called after each test. */
  close?(): Awaitable<void>
}

/** How the tests get at an adapter, and what it need not do. */
export interface AdapterSuite {
  /** Stands before the names of the tests. Default: `adapter`. */
  readonly name?: string
  /** Called before each test. The store need not be empty: every record of a test has values of its own. */
  create(): Awaitable<AdapterUnderTest>
  /** Methods that the adapter does not have; that it has all others is tested. Tests that need one are left out. */
  readonly without?: readonly AdapterMethod[]
  /** Claims that the adapter openly does not make, each with the reason. Their tests are left out. */
  readonly notPromised?: Readonly<Record<string, string>>
  /** How many callers come at once in the tests of parallel callers. Default: 50. */
  readonly callers?: number
}

const usualCallers = 50

const methods: Readonly<Record<AdapterMethod, true>> = {
  createUser: true,
  getUser: true,
  getUserByEmail: true,
  getUserByAccount: true,
  updateUser: true,
  deleteUser: true,
  linkAccount: true,
  unlinkAccount: true,
  getAccount: true,
  createSession: true,
  getSessionAndUser: true,
  updateSession: true,
  deleteSession: true,
  createVerificationToken: true,
  useVerificationToken: true,
  createAuthenticator: true,
  getAuthenticator: true,
  listAuthenticatorsByUserId: true,
  updateAuthenticatorCounter: true,
  updateAuthenticator: true,
  deleteAuthenticator: true,
  consumeOnce: true,
  markEmailVerified: true,
  isEmailVerified: true,
  listAccountsByUserId: true,
}

/**
 * Registers the tests that every adapter passes, for vitest: call it at the top of a test file, or in a `describe`.
 * @example testAdapter({ name: "my store", create: async () => ({ adapter: MyAdapter(await connect()) }) })
 */
export function testAdapter(suite: AdapterSuite): void {
  const { name = "adapter", without = [] } = suite
  assertClaims(Object.keys(suite.notPromised ?? {}))
  describe(name, () => {
    it("has every method but those that it is declared to be without", async ({ task }) => {
      // For reports: what is left out is seen in no result.
      Object.assign(task.meta, { adapterSuite: { without, notPromised: suite.notPromised ?? {} } })
      await withAdapter(suite, async (adapter) => {
        const missing = Object.keys(methods).filter((method) => typeof Reflect.get(adapter, method) !== "function")
        expect(missing.toSorted()).toEqual(without.toSorted())
      })
    })
    for (const [subject, cases] of Object.entries(adapterCases)) {
      const tested = cases.filter((one) => isTested(one, suite))
      if (tested.length === 0) continue
      describe(subject, () => {
        for (const one of tested) register(one, suite)
      })
    }
  })
}

/**
 * A claim that is spelt in another way would silently be tested, or a test of it would silently be left out for ever.
 */
function assertClaims(claims: readonly string[]): void {
  const known = new Set(Object.values(adapterCases).flatMap((cases) => cases.map(({ claim }) => claim)))
  const unknown = claims.filter((claim) => !known.has(claim))
  if (unknown.length > 0) throw new Error(`The suite makes no such claim: ${unknown.join("; ")}`)
}

function isTested({ claim, needs }: AdapterCase, { notPromised = {}, without = [] }: AdapterSuite): boolean {
  return notPromised[claim] === undefined && !needs.some((method) => without.includes(method))
}

function register(one: AdapterCase, suite: AdapterSuite): void {
  it(one.claim, async () => {
    await withAdapter(suite, async (adapter) => {
      await one.run(adapter as Required<Adapter>, suite.callers ?? usualCallers) // as: the methods that the case needs are there
    })
  })
}

async function withAdapter(suite: AdapterSuite, use: (adapter: Adapter) => Promise<void>): Promise<void> {
  const { adapter, ...rest } = await suite.create()
  try {
    await use(adapter)
  } finally {
    await rest.close?.()
  }
}

/** All that an adapter promises, by subject. */
export const adapterCases: Readonly<Record<string, readonly AdapterCase[]>> = {
  users: userCases,
  accounts: accountCases,
  sessions: sessionCases,
  "verification tokens": tokenCases,
  "vouched addresses": emailCases,
  authenticators: authenticatorCases,
  "exact values": exactnessCases,
  "hostile values": injectionCases,
  "records outside the store": isolationCases,
  "parallel callers": parallelCases,
}
