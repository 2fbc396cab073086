import { ownCookies, toOwnCookie } from "../http/own-cookies.js"
import type { AuthRequest } from "../http/request.js"
import { html, type Reply } from "../http/response.js"
import { english } from "../messages/locale.js"
import { findMethod } from "../methods/find-method.js"
import type { PageFrame } from "../pages/document.js"
import { stylesheetVersion } from "../pages/generated/stylesheet-version.js"
import type { ProviderColors, Stylesheet, StylesheetTheme } from "../pages/stylesheet.js"
import { lazy } from "../runtime/cache.js"
import type { Theme } from "../types/basics.js"
import type { CookieOption } from "../types/http.js"
import type { ResolvedProvider } from "../types/resolved.js"
import type { PageRequest } from "./browser-address.js"
import type { ActionContext, PageContext } from "./feature.js"

/** The frame around the content of every built-in page. */
export async function toFrame(
  request: PageRequest,
  { theme, stylesheet, actionUrl, findLocale, checkAddress }: PageContext,
): Promise<PageFrame> {
  const { version } = await stylesheet()
  const isOtherScheme = (await checkAddress?.(request)) === "scheme"
  return {
    theme,
    siteName: theme.name?.trim() || request.url.host,
    siteUrl: request.url.origin,
    stylesheetUrl: `${actionUrl(request, "style.css")}?v=${version}`,
    locale: (await findLocale(request)) ?? english,
    ...(isOtherScheme && { isOtherScheme }),
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

/**
 * For a page whose URL has a token that may still work: scripts of the app's own pages can read the referrer. Unlike with
 * `no-referrer`, browsers still send the origin with the form.
 */
export function unreferred(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, "referrer-policy": "strict-origin" } }
}

/** The stylesheet of the built-in pages. Its version is that of everything it depends on: a page names it before it is rendered. */
export function createStylesheet(
  { colorScheme, brandColor, buttonText, cornerRadius, fontFamily, layout }: StylesheetTheme,
  resolved: readonly ResolvedProvider[],
): Stylesheet {
  const theme = { colorScheme, brandColor, buttonText, cornerRadius, fontFamily, layout }
  const providers = resolved.map(toColors)
  const colors = providers.flatMap(({ id, brandColor }) => [id, brandColor])
  const parts = [...Object.values(theme), ...colors].map(String)
  return {
    version: stylesheetVersion + checksum(JSON.stringify(parts)),
    text: lazy(async () => (await import("../pages/stylesheet.js")).renderStylesheet({ theme, providers })),
  }
}

/** FNV-1a with 32 bits. Tells the themes of one app apart, and the first page does not wait for Web Crypto. */
function checksum(text: string): string {
  let sum = 0x811c9dc5
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  return (sum >>> 0).toString(16).padStart(8, "0")
}

function toColors(provider: ResolvedProvider): ProviderColors {
  const style = "style" in provider ? provider.style : undefined
  const brandColor = isStyle(style) ? (style.brandColor ?? style.bg) : undefined
  return { id: provider.id, brandColor: typeof brandColor === "string" ? brandColor : undefined }
}

function isStyle(style: unknown): style is { readonly brandColor?: unknown; readonly bg?: unknown } {
  return typeof style === "object" && style !== null
}

/** The headers of all built-in pages: the Content-Security-Policy and others. */
export function createPageHeaders(
  theme: Theme,
  providers: readonly ResolvedProvider[],
): Readonly<Record<string, string>> {
  const sources = providers.flatMap((provider) => findMethod(provider)?.pageSources?.(provider) ?? [])
  return pageHeaders({
    logos: [theme.logo, theme.logoDark, ...sources.flatMap(({ images = [] }) => images)],
    formTargets: sources.flatMap(({ formTargets = [] }) => formTargets),
    runsScript: providers.some((provider) => findMethod(provider)?.script),
  })
}

interface PageHeaderOptions {
  /** URLs of the images on the page. Each origin other than the page's own is allowed by name. */
  readonly logos?: readonly (string | undefined)[]
  /** URLs that a form's response may redirect to: the providers' authorization endpoints. */
  readonly formTargets?: readonly (string | undefined)[]
  /** Whether pages run the service's own script, which only sends requests to the service. Default: false. */
  readonly runsScript?: boolean
}

/**
 * Headers of the built-in pages besides their content type, with names in lower case as in every reply. Pages contain
 * the CSRF token, so they must not be cached.
 * @internal Exported for its tests.
 */
export function pageHeaders(options: PageHeaderOptions = {}): Readonly<Record<string, string>> {
  return {
    "content-security-policy": contentSecurityPolicy(options),
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    // Not `no-referrer`: with that, browsers send `Origin: null` with a form (Fetch, "serializing a request origin"),
    // and the service could not tell its own form from one on another site.
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  }
}

function contentSecurityPolicy({ logos = [], formTargets = [], runsScript = false }: PageHeaderOptions): string {
  const plainTargets = originsOf(formTargets).filter((origin) => origin.startsWith("http:"))
  const directives: Readonly<Record<string, readonly string[]>> = {
    "default-src": ["'none'"],
    "style-src": ["'self'"],
    ...(runsScript && { "script-src": ["'self'"], "connect-src": ["'self'"] }),
    "img-src": ["'self'", "data:", ...originsOf(logos)],
    "base-uri": ["'none'"],
    "frame-ancestors": ["'none'"],
    // Chromium also applies this to the redirects that follow a form, so it must include the providers. Some of their
    // endpoints are discovered only later, so all of https is allowed.
    "form-action": ["'self'", "https:", ...plainTargets],
  }
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ")
}

/** An origin without the characters that have a meaning in a policy: a URL's host may contain `;`, `,` and `*`. */
const plainOrigin = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/

/** The distinct origins of absolute URLs. Paths belong to `'self'`; invalid values are reported by the validation. */
function originsOf(urls: readonly unknown[]): readonly string[] {
  const origins = urls.map((url) => (typeof url === "string" ? (URL.parse(url)?.origin ?? "") : ""))
  return [...new Set(origins.filter((origin) => plainOrigin.test(origin)))]
}

/** A cookie for the sign-in page alone. */
export function toPageCookie(
  kind: "formValues" | "lastProvider",
  request: AuthRequest,
  { cookieRules, actionUrl }: Pick<ActionContext, "cookieRules" | "actionUrl">,
  maxAge: number,
): CookieOption {
  const { pathname: path } = new URL(actionUrl(request, "signin"))
  const { name, options } = toOwnCookie(ownCookies[kind], cookieRules)
  return { name, options: { ...options, path, maxAge } }
}
