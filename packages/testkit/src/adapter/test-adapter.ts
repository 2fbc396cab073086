import type { Adapter, AdapterFeatures, Awaitable } from "@latchkey/core/adapters"
import { describe, expect, it } from "vitest"
import { accountCases } from "./account-cases.js"
import { accountChangeCases } from "./account-change-cases.js"
import type { AdapterCase, AdapterMethod } from "./adapter-case.js"
import { authenticatorCases } from "./authenticator-cases.js"
import { factorCases, passwordCases, tokenReplacementCases } from "./credential-cases.js"
import { hostileFeatureCases } from "./hostile-feature-cases.js"
import { exactnessCases, injectionCases } from "./hostile-value-cases.js"
import { isolationCases, parallelCases } from "./isolation-cases.js"
import { sessionCases, tokenCases } from "./session-cases.js"
import { sessionDetailCases } from "./session-detail-cases.js"
import { sessionEndingCases } from "./session-ending-cases.js"
import { leaseCases, temporaryCases } from "./temporary-cases.js"
import { transactionCases } from "./transaction-cases.js"
import { emailCases, userCases } from "./user-cases.js"

/** All promises of an adapter, by subject. */
export const adapterCases: Readonly<Record<string, readonly AdapterCase[]>> = {
  users: userCases,
  accounts: accountCases,
  sessions: sessionCases,
  "verification tokens": tokenCases,
  "verified emails": emailCases,
  authenticators: authenticatorCases,
  "temporary values": temporaryCases,
  "session details": [...sessionDetailCases, ...sessionEndingCases],
  leases: leaseCases,
  "replaced tokens": tokenReplacementCases,
  passwords: passwordCases,
  "second factors": factorCases,
  "changes of accounts": accountChangeCases,
  transactions: transactionCases,
  "exact values": exactnessCases,
  "hostile values": [...injectionCases, ...hostileFeatureCases],
  "copies of records": isolationCases,
  "concurrent callers": parallelCases,
}

/** An adapter for one test. */
export interface AdapterUnderTest {
  readonly adapter: Adapter
  /** Runs after the test. */
  close?: (() => Awaitable<void>) | undefined
}

/** Options of {@link testAdapter}. */
export interface AdapterSuite {
  /** Title of the suite. Default: `adapter`. */
  readonly name?: string | undefined
  /** Runs before each test. The store need not be empty: every test uses unique values. */
  create(): Awaitable<AdapterUnderTest>
  /** Methods that the adapter lacks. It must have all others. Tests that call one of these are skipped. */
  readonly without?: readonly AdapterMethod[] | undefined
  /** Promises that the adapter does not keep, each with the reason. Their tests are skipped. */
  readonly notPromised?: Readonly<Record<string, string>> | undefined
  /** Number of concurrent callers. Default: 50. */
  readonly callers?: number | undefined
}

const defaultCallers = 50

type FeatureMethod = keyof AdapterFeatures | "transaction"

const contractMethods: Readonly<Record<Exclude<AdapterMethod, FeatureMethod>, true>> = {
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

const features: Readonly<Record<FeatureMethod, true>> = {
  keepTemporary: true,
  takeTemporary: true,
  createSessionDetail: true,
  seeSession: true,
  listSessionsByUserId: true,
  endSessions: true,
  takeLease: true,
  dropLease: true,
  replaceTokens: true,
  getPassword: true,
  setPassword: true,
  deletePassword: true,
  listFactors: true,
  createFactor: true,
  changeFactor: true,
  deleteFactor: true,
  replaceEmail: true,
  createAccountChange: true,
  getAccountChange: true,
  listAccountChanges: true,
  deleteAccountChange: true,
  transaction: true,
}

/** The methods of the features beyond the contract, for the `without` of adapters that were written before them. */
export const featureMethods: readonly FeatureMethod[] = Object.keys(features) as FeatureMethod[] // as: its keys

/**
 * Registers the vitest tests that every adapter passes. Call it at the top level of a test file or in a `describe`.
 * @example testAdapter({ name: "my store", create: async () => ({ adapter: MyAdapter(await connect()) }) })
 */
export function testAdapter(suite: AdapterSuite): void {
  const { name = "adapter", without = [] } = suite
  assertKnownClaims(Object.keys(suite.notPromised ?? {}))
  describe(name, () => {
    it("has every method except those declared in `without`", async ({ task }) => {
      // For reports, which do not show skipped tests.
      Object.assign(task.meta, { adapterSuite: { without, notPromised: suite.notPromised ?? {} } })
      await withAdapter(suite, async (adapter) => {
        const all = Object.keys({ ...contractMethods, ...features })
        const missing = all.filter((method) => typeof Reflect.get(adapter, method) !== "function")
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

/** Throws for an unknown claim in `notPromised`, which would otherwise skip no test. */
function assertKnownClaims(claims: readonly string[]): void {
  const known = new Set(Object.values(adapterCases).flatMap((cases) => cases.map(({ claim }) => claim)))
  const unknown = claims.filter((claim) => !known.has(claim))
  if (unknown.length > 0) throw new Error(`notPromised: the suite has no claim "${unknown.join('", "')}"`)
}

function isTested({ claim, needs }: AdapterCase, { notPromised = {}, without = [] }: AdapterSuite): boolean {
  return notPromised[claim] === undefined && !needs.some((method) => without.includes(method))
}

function register(one: AdapterCase, suite: AdapterSuite): void {
  it(one.claim, async () => {
    await withAdapter(suite, async (adapter) => {
      await one.run(adapter as Required<Adapter>, suite.callers ?? defaultCallers) // as: it has the methods that the case needs
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
