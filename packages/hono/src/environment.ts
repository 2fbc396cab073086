import type { HostConfig, MountOptions } from "@latchkey/core/integration"

type Environment = MountOptions["env"]

const nothing: Environment = {}

/** What was last found for a configuration: the same object as long as it says the same. */
const known = new WeakMap<HostConfig, { readonly texts: ReadonlyMap<string, string>; readonly env: Environment }>()

/**
 * The texts among a worker's bindings, then the variables of the process, where there is one. On servers the bindings
 * are request and response, and another object each time.
 */
export function findEnvironment(bindings: unknown, given: HostConfig): Environment {
  const texts = readTexts(bindings)
  if (texts.size === 0) return readProcess()
  const last = known.get(given)
  if (last && isSame(last.texts, texts)) return last.env
  const env = { ...readProcess(), ...Object.fromEntries(texts) }
  known.set(given, { texts, env })
  return env
}

function readTexts(bindings: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  if (typeof bindings !== "object" || bindings === null) return texts
  for (const [name, value] of Object.entries(bindings)) if (typeof value === "string") texts.set(name, value)
  return texts
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false
  for (const [name, value] of one) if (other.get(name) !== value) return false
  return true
}

function readProcess(): Environment {
  const host = globalThis as { process?: { env?: Environment } } // Workers have no `process`.
  return host.process?.env ?? nothing
}
