import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration, InvalidRequest } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import { lazy } from "../runtime/cache.js"
import type { Awaitable } from "../types/basics.js"
import type { ResolvedProvider } from "../types/resolved.js"
import type {
  ActionContext,
  Feature,
  FeatureFrame,
  FeatureRoutes,
  Route,
  RouteMethods,
  ServiceConfig,
  SlotMembers,
  Slots,
} from "./feature.js"

function arrange(given: readonly Feature[]): readonly Feature[] {
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
  "acceptor",
  "findLocale",
  "mailer",
  "openTokens",
  "trackSessions",
  "factors",
  "answerUnknown",
] as const satisfies readonly (keyof SlotMembers)[]

function fillSlots(features: readonly Feature[]): Slots {
  const find = <Name extends keyof SlotMembers>(name: Name): Feature[Name] | undefined =>
    features.find((feature) => feature[name] !== undefined)?.[name]
  return {
    gate: find("gate") ?? find("defaultGate"),
    bearer: find("bearer"),
    acceptor: find("acceptor"),
    findLocale: find("findLocale"),
    mailer: find("mailer"),
    openTokens: find("openTokens"),
    trackSessions: find("trackSessions"),
    factors: find("factors"),
    answerUnknown: find("answerUnknown"),
  }
}

/**
 * What two features both are: a name, a slot or a route. Null if nothing.
 * @internal Exported for its test.
 */
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

function joinRoutes(features: readonly Feature[]): FeatureRoutes {
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

function validate(config: ServiceConfig): AuthError | null {
  for (const feature of config.features) {
    const mistake = feature.validate?.(config)
    if (mistake) return mistake
  }
  const conflict = findConflict(config.features)
  return conflict === null ? null : new InvalidConfiguration(conflict)
}

function getRoute(methods: RouteMethods, method: AuthRequest["method"]): Route {
  const { format } = methods
  const route: Route =
    methods[method] ??
    (() => {
      throw notAllowed(methods)
    })
  if (format === "own") return route
  return async (request, context) => {
    const { answeredAsJson, negotiated } = await loadAnswer()
    return (format === "json" ? answeredAsJson : negotiated)(route)(request, context)
  }
}

/** Loaded with the first request for a route beyond the contract. */
const loadAnswer = lazy(() => import("./answer.js"))

/** RFC 9110 section 15.5.6. */
function notAllowed({ GET, POST }: RouteMethods): InvalidRequest {
  const allow = [GET && "GET", POST && "POST"].filter(Boolean).join(", ")
  const fault = `The route does not answer ${GET ? "POST" : "GET"}`
  return new InvalidRequest(fault, 405, { allow })
}

function findProvider(id: string, context: ActionContext): Awaitable<ResolvedProvider | undefined> {
  const finders = context.features.filter((each) => each.findProvider)
  return finders.length > 0 ? findFirst(finders, id, context) : undefined
}

async function findFirst(
  finders: readonly Feature[],
  id: string,
  context: ActionContext,
): Promise<ResolvedProvider | undefined> {
  for (const feature of finders) {
    const found = await feature.findProvider?.(id, context)
    if (found) return found
  }
  return undefined
}

const findTitle: FeatureFrame["findTitle"] = async (callbackUrl, request, { features, actionUrl }, { locale }) => {
  const page = callbackUrl.split(/[?#]/, 1)[0] ?? ""
  const base = actionUrl(request, "-").slice(0, -1)
  if (!page.startsWith(base)) return undefined
  const titles = await Promise.all(features.map((feature) => feature.titleOf?.(page.slice(base.length), locale)))
  return titles.find((title) => title !== undefined)
}

export const featureFrame: FeatureFrame = {
  arrange,
  validate,
  fillSlots,
  joinRoutes,
  getRoute,
  findTitle,
  findProvider,
}
