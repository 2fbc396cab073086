import type { ResolvedProvider } from "../types/resolved.js"
import type { ActionContext, Feature, FeatureRoutes, SlotMembers, Slots } from "./feature.js"

/**
 * The features of a configuration with those that they bring, each once, in the order of their names: what a feature does
 * must not depend on its place in a configuration or in a list of providers.
 */
export function arrangeFeatures(given: readonly Feature[]): readonly Feature[] {
  const names = new Set(given.map(({ feature }) => feature))
  const brought = byName(given).flatMap(({ brings = [] }) => brings)
  const added = brought.filter(({ feature }, n) => {
    const isFirst = brought.findIndex((other) => other.feature === feature) === n
    return isFirst && !names.has(feature)
  })
  return byName([...new Set([...given, ...added])])
}

function byName(features: readonly Feature[]): readonly Feature[] {
  return features.toSorted((one, other) => (one.feature < other.feature ? -1 : Number(one.feature > other.feature)))
}

const slotNames = [
  "gate",
  "defaultGate",
  "bearer",
  "findLocale",
  "mailer",
  "openTokens",
  "trackSessions",
  "factors",
] as const satisfies readonly (keyof SlotMembers)[]

/** The slots of a configuration whose features have no conflict. */
export function fillSlots(features: readonly Feature[]): Slots {
  const find = <Name extends keyof SlotMembers>(name: Name): Feature[Name] | undefined =>
    features.find((feature) => feature[name] !== undefined)?.[name]
  return {
    gate: find("gate") ?? find("defaultGate"),
    bearer: find("bearer"),
    findLocale: find("findLocale"),
    mailer: find("mailer"),
    openTokens: find("openTokens"),
    trackSessions: find("trackSessions"),
    factors: find("factors"),
  }
}

/** What two features both are: a name, a slot or a route. Null if nothing. */
export function findConflict(features: readonly Feature[]): string | null {
  const claims = features.flatMap((feature) => [
    { what: "have the name", value: feature.feature, feature },
    ...slotNames.filter((name) => feature[name]).map((value) => ({ what: "fill the slot", value, feature })),
    ...Object.keys(feature.routes ?? {}).map((value) => ({ what: "answer the path", value, feature })),
    ...Object.keys(feature.pages ?? {}).map((value) => ({ what: "show the page", value, feature })),
  ])
  const second = claims.find(
    (claim, n) => claims.findIndex(({ what, value }) => what === claim.what && value === claim.value) !== n,
  )
  const first = claims.find(({ what, value }) => what === second?.what && value === second.value)
  if (!first || !second) return null
  return `${first.feature.feature} and ${second.feature.feature} both ${second.what} ${second.value}. Leave one of them out`
}

/** The routes of all features. Pages come before other routes of the same path. */
export function joinRoutes(features: readonly Feature[]): FeatureRoutes {
  const joined: Record<string, FeatureRoutes[string]> = {}
  for (const { routes = {} } of features) Object.assign(joined, routes)
  for (const { pages = {} } of features) {
    for (const [path, methods] of Object.entries(pages)) {
      // The format is that of the pages.
      const { format: _, ...others } = joined[path] ?? {}
      joined[path] = { ...others, ...methods }
    }
  }
  return joined
}

/** Asks the features for a provider that is not in the configuration. The answers of fixed providers need no promise. */
export async function findOtherProvider(id: string, context: ActionContext): Promise<ResolvedProvider | undefined> {
  for (const feature of context.features) {
    const found = await feature.findProvider?.(id, context)
    if (found) return found
  }
  return undefined
}
