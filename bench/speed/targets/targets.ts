import type { Target, TargetId } from "../scenario.ts"
import type { ContractLibrary } from "./contract.ts"

/** The largest `checkEvery`: no check of a run is due. */
const aDay = 24 * 60 * 60

/** Loaded on demand, so that the process of one target does not load another. */
const targets: Readonly<Record<TargetId, () => Promise<Target>>> = {
  latchkey: loadLatchkey,
  "latchkey-one-config": loadOneConfig,
  "latchkey-tracked": loadTracked(aDay),
  "latchkey-tracked-due": loadTracked(0),
  "latchkey-edge": loadLatchkey,
  "auth-core": loadAuthCore,
  "auth-core-edge": loadAuthCore,
  "better-auth": async () => (await import("./better-auth.ts")).betterAuthTarget,
  "iron-session": async () => (await import("./iron-session.ts")).ironSessionTarget,
  limit: async () => ({
    ...(await import("./limit/session.ts")).sessionSubjects,
    ...(await import("./limit/sign-in.ts")).signInSubjects,
  }),
}

/** @throws for an unknown target */
export async function loadTarget(id: string): Promise<Target> {
  const isTarget = (name: string): name is TargetId => Object.hasOwn(targets, name)
  if (!isTarget(id)) throw new Error(`Unknown target: ${id}`)
  return targets[id]()
}

async function loadLatchkey(): Promise<Target> {
  const { Auth, customFetch } = await import("@latchkey/core")
  const { decode, encode, getToken } = await import("@latchkey/core/jwt")
  const { contractTarget } = await import("./contract.ts")
  const { trackedTarget } = await import("./tracked.ts")
  return { ...contractTarget({ Auth, encode, decode, getToken, customFetch }), ...trackedTarget(null) }
}

/** With one object for all requests, where the others get a new one. */
async function loadOneConfig(): Promise<Target> {
  const { "session-one-config": open } = await loadLatchkey()
  return { ...(open && { "session-new-config": open }) }
}

/** @param checkEvery Seconds after which a session check asks the store */
function loadTracked(checkEvery: number): () => Promise<Target> {
  return async () => (await import("./tracked.ts")).trackedTarget(checkEvery)
}

async function loadAuthCore(): Promise<Target> {
  const { Auth, customFetch } = await import("@auth/core")
  const { decode, encode, getToken } = await import("@auth/core/jwt")
  const { contractTarget } = await import("./contract.ts")
  // The two projects' types differ in names and details; the contract is the same.
  return contractTarget({ Auth, encode, decode, getToken, customFetch } as unknown as ContractLibrary)
}
