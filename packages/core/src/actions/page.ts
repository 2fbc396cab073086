import type { AuthRequest } from "../http/request.js"
import { html, type Reply } from "../http/response.js"
import { findMethod } from "../methods/find-method.js"
import type { PageFrame } from "../pages/document.js"
import { pageHeaders } from "../pages/headers.js"
import { chooseLanguage } from "../pages/language.js"
import type { Theme } from "../types/basics.js"
import type { ResolvedProvider } from "../types/resolved.js"
import type { PageContext } from "./context.js"

/** The frame around the content of every built-in page. */
export async function toFrame(request: AuthRequest, { theme, stylesheet, actionUrl }: PageContext): Promise<PageFrame> {
  const { version } = await stylesheet()
  return {
    theme,
    siteName: request.url.host,
    siteUrl: request.url.origin,
    stylesheetUrl: `${actionUrl(request, "style.css")}?v=${version}`,
    language: chooseLanguage(request.headers.get("accept-language")),
  }
}

/** The reply with a page and its security headers. */
export async function toPage(
  text: string,
  context: PageContext,
  extras: Pick<Reply, "status" | "cookies"> = {},
): Promise<Reply> {
  return html(text, { ...extras, headers: await context.pageHeaders() })
}

/** The headers of all built-in pages: the Content-Security-Policy and others. */
export function createPageHeaders(
  theme: Theme,
  providers: readonly ResolvedProvider[],
): Readonly<Record<string, string>> {
  const sources = providers.flatMap((provider) => findMethod(provider)?.pageSources?.(provider) ?? [])
  return pageHeaders({
    logos: [theme.logo, ...sources.flatMap(({ images = [] }) => images)],
    formTargets: sources.flatMap(({ formTargets = [] }) => formTargets),
    runsScript: providers.some((provider) => findMethod(provider)?.script),
  })
}
