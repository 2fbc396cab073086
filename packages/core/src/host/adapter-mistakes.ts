import type { AuthError } from "../errors/auth-error.js"
import { MissingAdapter, MissingAdapterMethods } from "../errors/errors.js"
import type { Adapter } from "../types/adapter.js"
import type { AdapterFeatures } from "../types/adapter-features.js"

type FeatureMethod = keyof AdapterFeatures | "transaction"
/** Methods of the contract that it does not require. */
type OptionalMethod = "getAccount" | "listAccountsByUserId"

/** What an option needs of the adapter. */
export interface AdapterNeeds {
  /** The option's path, such as `session.track`. */
  readonly option: string
  readonly methods: readonly (FeatureMethod | OptionalMethod)[]
}

/**
 * Our adapters, and the optional methods that each lacks.
 * @internal Exported for its tests.
 */
export const lackedMethods: Readonly<Record<string, readonly (FeatureMethod | OptionalMethod)[]>> = {
  "@latchkey/kysely-adapter": [],
  "@latchkey/drizzle-adapter": [],
  "@latchkey/prisma-adapter": [],
  "@latchkey/redis-adapter": ["transaction"],
  "@latchkey/unstorage-adapter": [
    "createSessionDetail",
    "seeSession",
    "listSessionsByUserId",
    "endSessions",
    "takeLease",
    "dropLease",
    "replaceTokens",
    "getPassword",
    "setPassword",
    "deletePassword",
    "listFactors",
    "createFactor",
    "changeFactor",
    "deleteFactor",
    "replaceEmail",
    "createAccountChange",
    "getAccountChange",
    "listAccountChanges",
    "deleteAccountChange",
    "transaction",
  ],
}

/**
 * The mistake of an option whose adapter lacks methods, or null. Features call it when they are validated, so that a
 * service without features does not load it.
 */
export function findAdapterMistake(needs: AdapterNeeds, adapter: Adapter | undefined): AuthError | null {
  const { option, methods } = needs
  const able = Object.keys(lackedMethods).filter((name) => !methods.some((one) => lackedMethods[name]?.includes(one)))
  const advice = able.length > 0 ? `Use ${able.join(" or ")}, or leave out ${option}` : `Leave out ${option}`
  if (!adapter) return new MissingAdapter(`${option}: needs an adapter. ${advice}`)
  // A key counts as present: some adapters are proxies that create their methods on demand.
  const missing = methods.filter((method) => !(method in adapter))
  if (missing.length === 0) return null
  return new MissingAdapterMethods(`${option}: the adapter lacks ${missing.join(", ")}. ${advice}`)
}
