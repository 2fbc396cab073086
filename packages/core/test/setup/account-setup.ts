import { type RecordingEvents, type RecordingLogger, recordingEvents, recordingLogger } from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit/adapter"
import { resolveOAuthUser } from "../../src/account/link-oauth.js"
import type { EmailProof, OAuthProof, SignInRedirect } from "../../src/account/proof.js"
import type { Permission } from "../../src/host/callbacks.js"
import { createEvents, type Events } from "../../src/host/events.js"
import { createStore, type Store } from "../../src/host/store.js"
import { createLog, type Log } from "../../src/log/log.js"
import { resolveEmailUser } from "../../src/methods/email/resolve-user.js"
import type { ResolvedUser } from "../../src/methods/steps.js"
import type { Adapter, AdapterUser } from "../../src/types/adapter.js"

export interface AccountSetup {
  /** Reads the store without recording a step. */
  readonly stored: MemoryAdapter
  readonly store: Store
  readonly hostEvents: Events
  readonly log: Log
  readonly events: RecordingEvents
  readonly logger: RecordingLogger
  /** Calls of the adapter and events, in order. */
  readonly steps: string[]
  /** Stores a user. */
  addUser(id: string, email?: string | null): Promise<AdapterUser>
  /** Resolves the user of a proof. The owner of an account is looked up first, as `prove` does. */
  resolveUser(proof: OAuthProof | EmailProof, signedIn?: AdapterUser | null): Promise<ResolvedUser>
}

/**
 * Accounts over a real adapter and real events.
 * @param override Replaces methods of the adapter; undefined takes one away.
 * @param permission The `signIn` callback. Default: allows all.
 */
export function accountSetup(
  override: (stored: MemoryAdapter) => Partial<Record<keyof Adapter, unknown>> = () => ({}),
  permission: Permission = { ask: () => null },
): AccountSetup {
  const stored = memoryAdapter()
  const steps: string[] = []
  // A transaction has methods of its own, which would not be those of `override`.
  const { calls: _, transaction: __, ...methods } = stored
  const adapter = recordSteps({ ...methods, ...override(stored) }, steps)
  const events = recordingEvents(stepEvents(steps))
  const logger = recordingLogger()
  const log = createLog(logger)
  const store = createStore(adapter, log)
  const hostEvents = createEvents(events.handlers, log)
  const deps = {
    store,
    events: hostEvents,
    accountCredentials: new Set<never>(),
    permission,
  }
  return {
    stored,
    store,
    hostEvents,
    log,
    events,
    logger,
    steps,
    addUser: async (id, email = `${id}@corp.test`) =>
      // The adapter's type requires an address, but some providers have none.
      stored.createUser({ id, email: email as string, emailVerified: null, name: id }),
    async resolveUser(proof, signedIn = null) {
      if ("isKnown" in proof) return withoutRedirect(await resolveEmailUser(proof, signedIn, deps))
      const { provider, providerAccountId } = proof.account
      const accountOwner = (await store.getUserByAccount({ provider, providerAccountId })) ?? null
      const initiatorId = signedIn?.id ?? null
      return withoutRedirect(await resolveOAuthUser({ ...proof, accountOwner, initiatorId }, signedIn, deps))
    },
  }
}

function withoutRedirect(resolved: ResolvedUser | SignInRedirect): ResolvedUser {
  if ("redirectUrl" in resolved) throw new Error("No callback redirects here")
  return resolved
}

/** The adapter, with a step for each call. */
export function recordSteps(methods: Partial<Record<keyof Adapter, unknown>>, steps: string[]): Adapter {
  const entries = Object.entries(methods).filter(([, method]) => typeof method === "function")
  const recorded = entries.map(([name, method]) => [
    name,
    (...values: unknown[]) => {
      steps.push(name)
      return Reflect.apply(method as (...values: unknown[]) => unknown, undefined, values) // as: only functions pass the filter.
    },
  ])
  return Object.fromEntries(recorded)
}

function stepEvents(steps: string[]) {
  const step = (name: string) => async () => void steps.push(`event ${name}`)
  return {
    createUser: step("createUser"),
    updateUser: step("updateUser"),
    linkAccount: step("linkAccount"),
    signIn: step("signIn"),
  }
}

export interface OAuthProofChanges {
  readonly email?: string | null
  readonly provider?: string
  readonly sub?: string
  readonly claims?: Readonly<Record<string, unknown>>
  readonly isEmailTrusted?: boolean
  readonly selectTokens?: OAuthProof["selectTokens"]
}

/** Vera's proof from the identity provider `oidc`. */
export function oauthProof(changes: OAuthProofChanges = {}): OAuthProof {
  const { provider = "oidc", sub = "subject-1", claims = {}, isEmailTrusted = false } = changes
  const email = changes.email === undefined ? "vera@corp.test" : changes.email
  const user = { id: "made-up", name: "Vera", email }
  return {
    candidate: user,
    user,
    achieved: ["fed"],
    accountOwner: null,
    initiatorId: null,
    knownUserId: undefined,
    dependsOnSession: true,
    account: { provider, providerAccountId: sub, type: "oidc", access_token: "at", id_token: "it", custom: "c" },
    profile: { sub, email, ...claims },
    selectTokens: changes.selectTokens ?? (() => ({ access_token: "at" })),
    toKept: (selected) => selected,
    isEmailTrusted,
  }
}
