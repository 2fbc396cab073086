import { isOAuth, type ResolvedProvider } from "../config/resolved-provider.js"
import { pageHeaders } from "../pages/headers.js"
import { chooseLanguage } from "../pages/language.js"
import type { PageFrame } from "../pages/page-frame.js"
import { html, type Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"

/** What every built-in page is made of. */
export type PageNeeds = Pick<ActionNeeds, "theme" | "stylesheet" | "actionUrl" | "providers">

/** What every built-in page shows around its content. */
export async function toFrame(
  visit: Visit,
  { theme, stylesheet, actionUrl }: Omit<PageNeeds, "providers">,
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
  { theme, providers }: Pick<PageNeeds, "theme" | "providers">,
  extras: Pick<Reply, "status" | "cookies"> = {},
): Reply {
  const known = [...providers.values()]
  const logos = [theme.logo, ...known.map(logoOf)]
  return html(text, { ...extras, headers: pageHeaders({ logos, formTargets: known.flatMap(targetsOf) }) })
}

/** The image on a provider's button; undefined when it has none. */
export function logoOf(provider: ResolvedProvider): string | undefined {
  return isOAuth(provider) ? provider.style?.logo : undefined
}

function targetsOf(provider: ResolvedProvider): readonly (string | undefined)[] {
  if (!isOAuth(provider)) return []
  const { authorization, issuer, wellKnown } = provider
  return [authorization.url && String(authorization.url), issuer, wellKnown]
}
