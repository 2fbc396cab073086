import { isOAuth } from "../config/provider.js"
import type { AuthRequest } from "../http/request.js"
import { html, type Reply } from "../http/response.js"
import { type PageFrame, pageHeaders } from "../pages/document.js"
import { chooseLanguage } from "../pages/messages.js"
import type { Theme } from "../types/basics.js"
import type { ResolvedProvider } from "../types/resolved.js"
import type { ActionNeeds } from "./context.js"

/** What every built-in page is made of. */
export type PageNeeds = Pick<ActionNeeds, "theme" | "stylesheet" | "actionUrl" | "pageHeaders">

/** What every built-in page shows around its content. */
export async function toFrame(
  request: AuthRequest,
  { theme, stylesheet, actionUrl }: Omit<PageNeeds, "pageHeaders">,
): Promise<PageFrame> {
  const { version } = await stylesheet()
  return {
    theme,
    siteName: request.url.host,
    siteUrl: request.url.origin,
    stylesheetUrl: `${actionUrl(request, "style.css")}?v=${version}`,
    language: chooseLanguage(request.headers.get("accept-language")),
  }
}

/** A page with the headers that keep it to itself. */
export async function toPage(
  text: string,
  { pageHeaders }: Pick<PageNeeds, "pageHeaders">,
  extras: Pick<Reply, "status" | "cookies"> = {},
): Promise<Reply> {
  return html(text, { ...extras, headers: await pageHeaders() })
}

/** The headers of all pages of a service. */
export function createPageHeaders(
  theme: Theme,
  providers: readonly ResolvedProvider[],
): Readonly<Record<string, string>> {
  const logos = [theme.logo, ...providers.map(logoOf)]
  const runsScript = providers.some(({ type }) => type === "webauthn")
  return pageHeaders({ logos, formTargets: providers.flatMap(targetsOf), runsScript })
}

/** The image on a provider's button; undefined when it has none. */
export function logoOf(provider: ResolvedProvider): string | undefined {
  return isOAuth(provider) ? provider.style?.logo : undefined
}

/** The sign on a provider's button, as SVG path data; undefined when it has none. */
export function markOf(provider: ResolvedProvider): string | undefined {
  const mark: unknown = isOAuth(provider) ? provider.style?.mark : undefined
  return typeof mark === "string" ? mark : undefined
}

function targetsOf(provider: ResolvedProvider): readonly (string | undefined)[] {
  if (!isOAuth(provider)) return []
  const { authorization, issuer, wellKnown } = provider
  return [authorization.url && String(authorization.url), issuer, wellKnown]
}
