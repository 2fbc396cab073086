import type { TargetId } from "../scenario.ts"
import type { Target } from "./target.ts"

/** Loaded when asked for, so that a target's process holds no other target. */
const targets: Readonly<Record<TargetId, () => Promise<Target>>> = {
  latchkey: async () => (await import("./latchkey.ts")).latchkey,
  "latchkey-edge": async () => (await import("./latchkey.ts")).latchkey,
  "auth-core": async () => (await import("./auth-core.ts")).authCore,
  "auth-core-edge": async () => (await import("./auth-core.ts")).authCore,
  "better-auth": async () => (await import("./better-auth.ts")).betterAuthTarget,
  "iron-session": async () => (await import("./iron-session.ts")).ironSession,
  limit: async () => (await import("./limit/limit.ts")).limit,
}

/** @throws for a name that is no target's */
export async function loadTarget(id: string): Promise<Target> {
  const isTarget = (name: string): name is TargetId => Object.hasOwn(targets, name)
  if (!isTarget(id)) throw new Error(`There is no target ${id}`)
  return targets[id]()
}
