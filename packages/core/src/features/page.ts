import { isForwarded, isLocalHost } from "../http/client-address.js"
import { isHttp } from "../http/origin.js"
import { ownCookies, toOwnCookie } from "../http/own-cookies.js"
import type { AuthRequest } from "../http/request.js"
import { html, type Reply } from "../http/response.js"
import type { Log } from "../log/log.js"
import { english, type Locale } from "../messages/locale.js"
import { findMethod } from "../methods/find-method.js"
import type { PageFrame } from "../pages/document.js"
import { passwordScriptVersion } from "../pages/generated/password-script-version.js"
import { stylesheetVersion } from "../pages/generated/stylesheet-version.js"
import type { PageParts, ProviderColors, Stylesheet } from "../pages/stylesheet.js"
import { lazy } from "../runtime/cache.js"
import { all, andThen } from "../runtime/promise.js"
import type { Awaitable, Theme } from "../types/basics.js"
import type { CookieOption, IncomingHeaders } from "../types/http.js"
import type { ResolvedProvider } from "../types/resolved.js"
import type { ActionContext, Difference, PageContext, PageRequest } from "./feature.js"

/** The frame around the content of every built-in page. */
export function toFrame(request: PageRequest, context: PageContext): Awaitable<PageFrame> {
  return andThen(findFrameParts(request, context), (parts) => createFrame(request, context, parts))
}

/** What a frame depends on, apart from the address. */
export type FrameParts = readonly [Stylesheet, Difference | null, Locale | undefined]

export function findFrameParts(
  request: PageRequest,
  { stylesheet, checkAddress, findLocale }: PageContext,
): Awaitable<FrameParts> {
  const parts = all<unknown>([stylesheet(), checkAddress?.(request) ?? null, findLocale(request)])
  return parts as Awaitable<FrameParts> // as: of these three.
}

export function createFrame(
  request: PageRequest,
  { theme, actionUrl }: PageContext,
  [{ version, hasPasswords }, difference, locale]: FrameParts,
): PageFrame {
  const isOtherScheme = difference === "scheme"
  return {
    theme,
    siteName: theme.name?.trim() || request.url.host,
    siteUrl: request.url.origin,
    stylesheetUrl: `${actionUrl(request, "style.css")}?v=${version}`,
    locale: locale ?? english,
    // The policy of pages allows no script otherwise.
    ...(hasPasswords && {
      passwordScriptUrl: `${actionUrl(request, "password.js")}?v=${passwordScriptVersion}`,
    }),
    ...(isOtherScheme && { isOtherScheme }),
    ...(request.isStaleForm && { isStaleForm: true }),
  }
}

interface PageExtras extends Pick<Reply, "status" | "cookies" | "headers"> {
  /** Whether the page runs a script of the service even where others run none. Default: false. */
  readonly runsScript?: boolean
}

/** The reply with a page and its security headers. */
export function toPage(
  text: string,
  context: PageContext,
  { runsScript = false, headers, ...extras }: PageExtras = {},
): Awaitable<Reply> {
  return andThen(context.pageHeaders(), (usual) => {
    const own = runsScript ? allowOwnScript(usual) : usual
    return html(text, { ...extras, headers: headers ? { ...own, ...headers } : own })
  })
}

const policyName = "content-security-policy"

function allowOwnScript(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const policy = headers[policyName] ?? ""
  return policy.includes("script-src") ? headers : { ...headers, [policyName]: `${policy}; script-src 'self'` }
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
  { colorScheme, brandColor, buttonText, cornerRadius, fontFamily, layout, links, visibleProviders }: Theme,
  resolved: readonly ResolvedProvider[],
): Stylesheet {
  const theme = { colorScheme, brandColor, buttonText, cornerRadius, fontFamily, layout, links }
  const providers = resolved.map(toColors)
  const colors = providers.flatMap(({ id, brandColor }) => [id, brandColor])
  const has = findParts(resolved, visibleProviders)
  const parts = [...Object.values(theme), ...colors, ...Object.values(has)].map(String)
  const render = async (extent?: "whole") =>
    (await import("../pages/stylesheet.js")).renderStylesheet({ theme, providers, ...(extent !== "whole" && { has }) })
  const usual = lazy(render)
  return {
    version: stylesheetVersion + checksum(JSON.stringify(parts)),
    hasPasswords: has.password,
    text: (extent) => (extent === "whole" ? render(extent) : usual()),
  }
}

const defaultVisibleProviders = 6

/** What the sign-in page has. More than it may have is only more text in the stylesheet. */
function findParts(providers: readonly ResolvedProvider[], visibleProviders = defaultVisibleProviders): PageParts {
  const count = (...types: readonly ResolvedProvider["type"][]) =>
    providers.filter(({ type }) => types.includes(type)).length
  const people = count("email", "credentials")
  const passkeys = count("webauthn")
  const redirects = providers.length - people - passkeys
  return {
    providers: redirects > 0,
    passkey: passkeys > 0,
    steps: passkeys > 0 || people > 1 || redirects > Math.min(visibleProviders, defaultVisibleProviders),
    password: providers.some(hasPasswordField),
  }
}

/** The stylesheet of all pages, with rules that only the pages of one feature need. */
export async function extendStylesheet({ stylesheet }: PageContext, rules: string): Promise<Stylesheet> {
  const { version, text, ...own } = await stylesheet()
  return { ...own, version: version + checksum(rules), text: async () => `${await text("whole")}${rules}` }
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
    hasPasswords: providers.some(hasPasswordField),
    runsScript: providers.some((provider) => findMethod(provider)?.script),
  })
}

function hasPasswordField(provider: ResolvedProvider): boolean {
  const fields = "credentials" in provider ? Object.values(provider.credentials ?? {}) : []
  return fields.some((field) => field?.type === "password")
}

interface PageHeaderOptions {
  /** URLs of the images on the page. Each origin other than the page's own is allowed by name. */
  readonly logos?: readonly (string | undefined)[]
  /** URLs that a form's response may redirect to: the providers' authorization endpoints. */
  readonly formTargets?: readonly (string | undefined)[]
  /** Whether pages run the service's own script, which only sends requests to the service. Default: false. */
  readonly runsScript?: boolean
  /** Whether pages have password fields, whose script sends no request. Default: false. */
  readonly hasPasswords?: boolean
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

function contentSecurityPolicy({ logos = [], formTargets = [], ...pages }: PageHeaderOptions): string {
  const plainTargets = originsOf(formTargets).filter((origin) => origin.startsWith("http:"))
  const directives: Readonly<Record<string, readonly string[]>> = {
    "default-src": ["'none'"],
    "style-src": ["'self'"],
    ...((pages.runsScript || pages.hasPasswords) && { "script-src": ["'self'"] }),
    ...(pages.runsScript && { "connect-src": ["'self'"] }),
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

/** A cookie for the sign-in page alone, or for the pages of passwords. */
export function toPageCookie(
  kind: "formValues" | "lastProvider",
  request: AuthRequest,
  { cookieRules, actionUrl }: Pick<ActionContext, "cookieRules" | "actionUrl">,
  { maxAge, page = "signin" }: { readonly maxAge: number; readonly page?: "signin" | "password" },
): CookieOption {
  const { pathname: path } = new URL(actionUrl(request, page))
  const { name, options } = toOwnCookie(ownCookies[kind], cookieRules)
  return { name, options: { ...options, path, maxAge } }
}

/** What the environment says about the address of the app. */
export interface StatedAddress {
  /** The value of `AUTH_URL`. Undefined if it is not set. */
  readonly authUrl?: string | undefined
  /** The part of its path that a proxy has to cut off, such as `/app`. */
  readonly cutPath?: string | undefined
}

/**
 * How the address that the browser shows differs from the one that the service was told. The forms of its pages do not work
 * then. Null if nothing shows a difference: then there may be one, too.
 */
export function findDifference({ url, headers }: PageRequest, stated: StatedAddress = {}): Difference | null {
  const referrer = headers.get("referer")
  const parsed = referrer === null ? null : URL.parse(referrer)
  const from = isHttp(parsed) ? parsed : null
  // Browsers send this header with every request for https, and no page can forge it.
  const site = headers.get("sec-fetch-site")
  if (site === "same-origin" && from) return from.origin === url.origin ? null : compare(from, url)
  if (url.protocol === "http:" ? isOverHttps(headers, url, from) : site === null && isDowngraded(from, url))
    return "scheme"
  if (findNamedHost(headers, url, stated) !== url.host) return "host"
  return stated.cutPath !== undefined && !hasProxy(headers) ? "path" : null
}

function compare(from: URL, url: URL): Difference {
  return from.hostname === url.hostname && from.protocol !== url.protocol ? "scheme" : "host"
}

/** Headers by which proxies say that the browser uses https, whether or not the framework believes them. */
const httpsHeaders: Readonly<Record<string, RegExp>> = {
  "x-forwarded-proto": /^\s*https\b/i,
  "x-forwarded-protocol": /^\s*https\b/i,
  "x-forwarded-scheme": /^\s*https\b/i,
  "x-url-scheme": /^\s*https\b/i,
  "x-forwarded-ssl": /^\s*on\b/i,
  "front-end-https": /^\s*on\b/i,
  "cloudfront-forwarded-proto": /^\s*https\b/i,
  "cf-visitor": /"scheme":"https"/,
  forwarded: /\bproto="?https\b/i,
}

function isOverHttps(headers: IncomingHeaders, url: URL, from: URL | null): boolean {
  if (Object.entries(httpsHeaders).some(([name, pattern]) => pattern.test(headers.get(name) ?? ""))) return true
  if (from?.protocol === "https:" && from.hostname === url.hostname) return true
  // Browsers send these over http to this machine only.
  const isSecure = headers.has("sec-fetch-site") || /(?:^|;\s*)__(?:Secure|Host)-/.test(headers.get("cookie") ?? "")
  return isSecure && !isLocalHost(url.hostname, "loopback")
}

function isDowngraded(from: URL | null, url: URL): boolean {
  return from?.protocol === "http:" && from.hostname === url.hostname && from.port === url.port
}

/** A proxy may replace `Host`, and is believed to pass it on as `X-Forwarded-Host`. */
function findNamedHost(headers: IncomingHeaders, url: URL, { authUrl }: StatedAddress): string {
  const forwarded = headers.get("x-forwarded-host")?.split(",", 1)[0]?.trim()
  const named = forwarded || (authUrl === undefined || hasProxy(headers) ? undefined : headers.get("host"))
  const parsed = named ? URL.parse(`${url.protocol}//${named}`) : null
  return parsed?.host ?? url.host
}

function hasProxy(headers: IncomingHeaders): boolean {
  return isForwarded(headers) || ["via", "x-forwarded-proto", "x-forwarded-host"].some((name) => headers.has(name))
}

const differences: Readonly<Record<Difference, (url: URL) => string>> = {
  scheme: ({ protocol }) => `browsers open its pages over ${protocol === "http:" ? "https" : "http"}`,
  host: () => "browsers open its pages at another host",
  path: () => "requests come without the beginning of its path, and no proxy seems to cut it off",
}

/**
 * Compares the address that the service was told with the one that the browser shows, and logs a difference once. The line has
 * no text of the request: anyone could send it.
 */
export function checkAddress(request: PageRequest, stated: StatedAddress, log: Log): Difference | null {
  const difference = findDifference(request, stated)
  if (difference)
    log.warnOnce(
      "address-mismatch",
      `${describeCause(difference, request, stated)}, but ${differences[difference](request.url)}`,
    )
  return difference
}

function describeCause(difference: Difference, { context }: PageRequest, { authUrl }: StatedAddress): string {
  if (authUrl !== undefined) return `AUTH_URL is ${authUrl}`
  const header = difference === "scheme" ? "X-Forwarded-Proto" : "X-Forwarded-Host"
  const setting = context?.proxySetting === undefined ? "" : ` (${context.proxySetting})`
  return `AUTH_URL is not set, and no proxy that the framework trusts${setting} sends ${header}`
}
