import { isOAuth, type ResolvedProvider } from "../config/resolved-provider.js"
import { pageHeaders } from "../pages/headers.js"
import { chooseLanguage } from "../pages/language.js"
import type { DeveloperDetails, PageFrame } from "../pages/page-frame.js"
import { html, type Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"
import { findReference } from "./reference.js"

/** What every built-in page shows around its content. */
export async function toFrame(
  visit: Visit,
  { theme, stylesheet, actionUrl }: Pick<ActionNeeds, "theme" | "stylesheet" | "actionUrl">,
): Promise<PageFrame> {
  const { version } = await stylesheet()
  return {
    theme,
    siteName: visit.url.host,
    siteUrl: visit.url.origin,
    stylesheetUrl: `${actionUrl(visit, "style.css")}?v=${version}`,
    language: chooseLanguage(visit.request.headers.get("accept-language")),
  }
}

/** A page with the headers that keep it to itself. */
export function toPage(
  text: string,
  { theme, providers }: Pick<ActionNeeds, "theme" | "providers">,
  extras: Pick<Reply, "status" | "cookies"> = {},
): Reply {
  const known = [...providers.values()]
  const logos = [theme.logo, ...known.map(logoOf)]
  return html(text, { ...extras, headers: pageHeaders({ logos, formTargets: known.flatMap(targetsOf) }) })
}

export function logoOf(provider: ResolvedProvider): string | undefined {
  return isOAuth(provider) ? provider.style?.logo : undefined
}

function targetsOf(provider: ResolvedProvider): readonly (string | undefined)[] {
  if (!isOAuth(provider)) return []
  const { authorization, issuer, wellKnown } = provider
  return [authorization.url && String(authorization.url), issuer, wellKnown]
}

/** What a page says of the failure that led to it. */
export interface ShownFailure {
  readonly reference?: string
  readonly errorProvider?: string | undefined
  readonly providerError?: string | undefined
  readonly details?: DeveloperDetails
}

/** The reference is for everybody; what the log says is for a developer who looks at the page on their own machine. */
export function findFailure(
  visit: Visit,
  { referenceCookie, failures }: Pick<ActionNeeds, "referenceCookie" | "failures">,
): ShownFailure {
  const found = findReference(referenceCookie, visit.cookies, visit.url.searchParams.get("error"))
  if (!found) return {}
  const details = isLoopback(visit) ? failures.find(found.reference) : undefined
  return { ...found, ...(details && { details }) }
}

/** Whether the developer sits at the machine itself, and no proxy stands between. */
export function isLoopback({ url, request }: Visit): boolean {
  const isForwarded = request.headers.has("x-forwarded-for") || request.headers.has("forwarded")
  return !isForwarded && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
}
