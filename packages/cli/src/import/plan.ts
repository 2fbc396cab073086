import { randomUUID } from "node:crypto"
import type { Adapter, StoreDefect } from "@latchkey/core/adapters"
import { UsageError } from "../config.js"
import type { Source, SourceSurvey } from "./records.js"
import { type Part, parts } from "./rows.js"
import { type Maker, RowRefused, withoutPasskeys } from "./sealed-rows.js"
import type { Target } from "./target.js"

/** What the arguments ask for. */
export interface ImportSettings {
  /** The source's name, such as `better-auth`. */
  readonly sourceId: string
  readonly batchSize: number
  readonly skipped: ReadonlySet<Part>
  readonly reportFile: string | undefined
  readonly mapFile: string | undefined
  readonly isDryRun: boolean
  readonly isResumed: boolean
}

/** What becomes of the source's providers. */
export interface ProviderPlan {
  /** Our id, or null for one whose accounts are left out. */
  find(name: string): string | null
  readonly entries: readonly PlannedProvider[]
}

export interface PlannedProvider {
  readonly name: string
  readonly ours: string | null
  readonly accounts: number
  /** Whether the app has it. */
  readonly isKnown: boolean
}

export function planProviders(
  { providerNames }: Source,
  { providers }: SourceSurvey,
  { settings, ...target }: Target,
): ProviderPlan {
  const own = settings.import?.providers ?? {}
  const find = (name: string) => {
    if (Object.hasOwn(own, name)) return own[name] ?? null
    return (Object.hasOwn(providerNames, name) ? providerNames[name] : undefined) ?? name
  }
  const entries = [...providers].map(([name, accounts]) => {
    const ours = find(name)
    return { name, ours, accounts, isKnown: ours === null || target.providers === null || target.providers.has(ours) }
  })
  return { find, entries: entries.toSorted((one, other) => other.accounts - one.accounts) }
}

/**
 * What the store or the configuration lacks is said before anything is written.
 * @throws UsageError
 */
export async function assertPossible(
  survey: SourceSurvey,
  { adapter, providers, maker }: Pick<Target, "adapter" | "providers"> & { readonly maker: Maker | null },
  { skipped }: ImportSettings,
): Promise<void> {
  for (const method of ["createUser", "getUser", "linkAccount"] as const)
    if (!adapter[method]) throw new UsageError(`The adapter lacks ${method}: users cannot be imported to it.`)
  const wanted = parts.filter((part) => isCounted(survey, part) && !skipped.has(part))
  if (wanted.length === 0) return
  const list = wanted.join(",")
  if (maker === null)
    throw new UsageError(
      `The app checks and seals ${list}. Name its configuration with --config, or add --skip ${list}.`,
    )
  if (wanted.includes("passkeys") && ![...(providers?.values() ?? [])].includes("webauthn"))
    throw new UsageError(`${withoutPasskeys}.`)
  await probe(maker, wanted)
}

/**
 * Finds what is wrong with the store. @returns sentences
 * @throws UsageError if a unique index is missing: nothing else keeps two users of the source from having one address
 */
export async function findDefects(adapter: Adapter): Promise<readonly string[]> {
  const find: unknown = Reflect.get(adapter, "findStoreDefects")
  if (typeof find !== "function") return []
  const work = async (): Promise<readonly StoreDefect[]> => Reflect.apply(find, adapter, [])
  // Reading the catalog may not be allowed.
  const defects = await work().catch(() => [])
  const missing = defects.find(({ kind }) => kind === "index")
  if (missing)
    throw new UsageError(
      `${missing.sentence}: two users of the source could get one address. ${missing.statement ?? ""}`.trim(),
    )
  return defects.filter(({ kind }) => kind === "collation" || kind === "column").map(({ sentence }) => `${sentence}.`)
}

/** A configuration that lacks something throws for values that cannot be right, too. */
async function probe(maker: Maker, wanted: readonly Part[]): Promise<void> {
  const user = { id: randomUUID(), email: "nobody@invalid.example", emailVerified: null }
  const [hasPasswords, hasFactors] = [wanted.includes("passwords"), wanted.includes("factors")]
  const nothing = { password: null, totp: [], recoveryCodes: [], passkeys: [] }
  try {
    if (hasFactors) await maker(user, { ...nothing, totp: [{ secret: "" }] })
    if (hasPasswords) await maker(user, { ...nothing, password: "" })
  } catch (error) {
    if (error instanceof RowRefused) return
    const sentence = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${sentence}. Or add --skip ${wanted.join(",")}.`, { cause: error })
  }
}

function isCounted({ passwords, totp, recoveryCodes, passkeys }: SourceSurvey, part: Part): boolean {
  if (part === "passwords") return (passwords ?? 0) > 0
  return part === "passkeys" ? (passkeys ?? 0) > 0 : (totp ?? 0) + (recoveryCodes ?? 0) > 0
}
