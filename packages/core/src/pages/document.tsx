/** @jsxImportSource #markup */

import { randomHex } from "../crypto/random.js"
import { isHttp } from "../http/origin.js"
import type { Locale } from "../messages/locale.js"
import { pageMessages } from "../messages/pages.js"
import { type Translate, translateFrom } from "../messages/translate.js"
import type { Theme } from "../types/basics.js"
import type { MarkPath, ProviderStyle } from "../types/oauth-provider.js"
import { type Children, escapeText, type JSX, renderToString } from "./markup/jsx-runtime.js"

/** What all built-in pages have in common. */
export interface PageFrame {
  readonly theme: Theme
  /** The name that users know: `theme.name`, or the host, such as `app.example`. */
  readonly siteName: string
  /** The site's origin, the target of "Back to …" links. */
  readonly siteUrl: string
  /** URL of the stylesheet from `renderStylesheet`, with its version in the query. */
  readonly stylesheetUrl: string
  /** URL of the script of pages with a password field. Such pages also work without it. */
  readonly passwordScriptUrl?: string
  readonly locale: Locale
  /** Whether the browser opened the page over another scheme than that of `siteUrl`. Default: false. */
  readonly isOtherScheme?: boolean
  /** Whether the page is shown again because the token of its form was lost. Default: false. */
  readonly isStaleForm?: boolean
}

export type MessageId = keyof typeof pageMessages

/** The sentences of one page, in the language of its frame. */
export interface Translator extends Pick<Locale, "language" | "direction"> {
  readonly translate: Translate<typeof pageMessages>
}

/** `{host}` is the name of the site unless another value is given. */
export function createTranslator({ locale, siteName }: Pick<PageFrame, "locale" | "siteName">): Translator {
  return { ...locale, translate: translateFrom(pageMessages, "", locale, { host: siteName }) }
}

/** What the log says about a failure. Only for the developer's own browser; the caller decides when to show it. */
export interface DeveloperDetails extends DeveloperNote {
  /** What happened, and what to change, in English. Undefined without a reason, and where no developer looks. */
  readonly story?: DeveloperNote | undefined
}

/** The error, or the story of its reason. */
interface DeveloperNote {
  /** The error's type, or its reason. */
  readonly type: string
  readonly message: string
  /** Messages of the errors that caused it, the direct cause first; or what to change, and the guide. */
  readonly causes: readonly string[]
}

interface DocumentProps {
  /** The page's subject, without the site's name. */
  readonly title: string
  readonly frame: PageFrame
  readonly t: Translator
  /** URL of a script of the service. The page must also work without it. */
  readonly scriptUrl?: string | undefined
  /** Navigation, before the card. */
  readonly navigation?: Children
  /** The content of the card. It starts with the page's only `h1`. */
  readonly children: Children
}

/** Renders a complete HTML document, including the doctype. */
export function renderDocument(props: DocumentProps): string {
  const page = enhancePasswords(`<!DOCTYPE html>${renderToString(<Document {...props} />)}`, props)
  return props.frame.isOtherScheme ? toOwnScheme(page, props.frame) : page
}

/** Adds the script to every page with a password field, and to no other. Text of a visitor has no quotes. */
function enhancePasswords(page: string, { frame: { passwordScriptUrl }, t }: DocumentProps): string {
  if (passwordScriptUrl === undefined || !page.includes(' type="password"')) return page
  const script = (
    <script
      src={passwordScriptUrl}
      defer
      data-show={t.translate("field.showPassword")}
      data-caps-lock={t.translate("field.capsLock")}
    />
  )
  return page.replace("</head>", () => `${renderToString(script)}</head>`)
}

/** The page with addresses of the scheme that the browser uses: its own policy blocks those of the other. */
function toOwnScheme(page: string, { siteUrl }: PageFrame): string {
  const attributes = ["href", "action", "formaction", "src"]
  return attributes.reduce(
    (text, name) =>
      text
        .replaceAll(` ${name}="${siteUrl}"`, ` ${name}="/"`)
        // A path that begins with two slashes would be the address of another host. Browsers take backslashes for slashes.
        .replaceAll(` ${name}="${siteUrl}//`, ` ${name}="/.//`)
        .replaceAll(` ${name}="${siteUrl}/\\`, ` ${name}="/.//`)
        .replaceAll(` ${name}="${siteUrl}/`, ` ${name}="/`),
    page,
  )
}

function Document({ title, frame, t, scriptUrl, navigation, children }: DocumentProps): JSX.Element {
  const scheme = toScheme(frame.theme.colorScheme)
  return (
    <html lang={t.language} dir={t.direction}>
      <head>
        <meta charset="utf-8" />
        <title>{`${frame.isStaleForm ? `${t.translate("staleForm.heading")} – ` : ""}${title} – ${frame.siteName}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={scheme === "auto" ? "light dark" : scheme} />
        <meta name="robots" content="noindex" />
        <link rel="stylesheet" href={frame.stylesheetUrl} />
        {scriptUrl !== undefined && <script src={scriptUrl} defer />}
      </head>
      <body class={`__next-auth-theme-${scheme}`}>
        <header class="site">
          <a class="site-link" href={frame.siteUrl}>
            {toLogo(frame, scheme)}
          </a>
        </header>
        {navigation}
        <main class="card">
          {frame.isOtherScheme && <SchemeNotice frame={frame} />}
          {frame.isStaleForm && (
            <div class="notice" role="alert">
              <p class="notice-heading">{t.translate("staleForm.heading")}</p>
              <p>{t.translate("staleForm.text")}</p>
            </div>
          )}
          {children}
        </main>
        <SiteLinks frame={frame} t={t} />
      </body>
    </html>
  )
}

const linkNames = ["terms", "privacy", "support"] as const

/** The links of the theme. Nothing without them. */
function SiteLinks({ frame: { theme, siteUrl }, t }: Pick<DocumentProps, "frame" | "t">): JSX.Element | null {
  const links = linkNames.flatMap((name) => {
    const url = parseLogo(theme.links?.[name], siteUrl)
    return url === undefined ? [] : [{ url, text: t.translate(`links.${name}`) }]
  })
  if (links.length === 0) return null
  return (
    <footer class="site-links">
      {links.map(({ url, text }) => (
        <a class="link" href={url}>
          {text}
        </a>
      ))}
    </footer>
  )
}

/** Not translated: it is for the people who run the site. */
function SchemeNotice({ frame: { siteUrl } }: { readonly frame: PageFrame }): JSX.Element {
  const scheme = siteUrl.startsWith("https:") ? "http" : "https"
  return (
    <p class="notice" role="alert" lang="en" dir="ltr">
      {`This page was built for ${siteUrl}, but your browser opened it over ${scheme}. Its forms will not work. If you run this site, see its log.`}
    </p>
  )
}

type Scheme = "auto" | "dark" | "light"

/** The host's logo, or its name. The name also stands in for an image that cannot be loaded. */
function toLogo({ theme, siteUrl, siteName }: PageFrame, scheme: Scheme): Children {
  const light = parseLogo(theme.logo, siteUrl)
  const dark = parseLogo(theme.logoDark, siteUrl)
  const source = (scheme === "dark" ? dark : undefined) ?? light ?? dark
  if (source === undefined) return siteName
  const image = <img class="site-logo" src={source} alt={siteName} />
  if (scheme !== "auto" || dark === undefined) return image
  return (
    <picture>
      <source srcset={dark} media="(prefers-color-scheme:dark)" />
      {image}
    </picture>
  )
}

/** Untyped hosts may pass any text, and it becomes part of a class name. */
function toScheme(colorScheme: string | undefined): Scheme {
  return colorScheme === "dark" || colorScheme === "light" ? colorScheme : "auto"
}

/**
 * The URL of a logo or a link of the host if it is an http(s) URL or a path; otherwise undefined.
 * @param siteUrl The site's origin, the base of a path.
 * @internal Exported for its tests.
 */
export function parseLogo(source: string | undefined, siteUrl: string): string | undefined {
  const logo = source?.trim()
  return logo && isHttp(URL.parse(logo, siteUrl)) ? logo : undefined
}

/** Image types allowed in a `data:` URL. SVG is safe here: in an `img` it runs no scripts and loads nothing. */
const inlineImage = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i

/** A provider's logo: what `parseLogo` accepts, or an image in a `data:` URL. */
export function parseProviderLogo(source: string | undefined, siteUrl: string): string | undefined {
  return inlineImage.test(source?.trim() ?? "") ? source?.trim() : parseLogo(source, siteUrl)
}

export interface ProviderMarkProps {
  readonly name: string
  readonly logo: string | undefined
  readonly mark: ProviderStyle["mark"]
}

/** The logo, the mark or the first letter. The name is next to it, so screen readers skip it. */
export function ProviderMark({ name, logo, mark }: ProviderMarkProps): JSX.Element {
  if (logo !== undefined) return <img class="mark" src={logo} alt="" width={24} height={24} />
  const parts = toMarkParts(mark)
  if (parts.length === 0) {
    const [letter = ""] = name.trim()
    return <span class="mark mark-letter" data-letter={letter.toUpperCase()} aria-hidden="true" />
  }
  return (
    <svg class="mark mark-drawn" viewBox="0 0 24 24" aria-hidden="true">
      {parts.map(({ path, color }) => (
        <path fill={color} d={path} />
      ))}
    </svg>
  )
}

const markColor = /^#(?:[\da-f]{3}|[\da-f]{6})$/i

/** What can be drawn of a mark that an app may have set to anything. */
function toMarkParts(mark: unknown): readonly MarkPath[] {
  // The stylesheet sets the color: the content security policy allows no inline styles.
  if (typeof mark === "string") return mark === "" ? [] : [{ path: mark, color: "currentColor" }]
  return Array.isArray(mark) ? mark.filter(isMarkPath) : []
}

function isMarkPath(value: unknown): value is MarkPath {
  const { path, color }: { readonly path?: unknown; readonly color?: unknown } = Object(value)
  return typeof path === "string" && typeof color === "string" && markColor.test(color)
}

interface LinkButtonProps {
  readonly url: string
  readonly text: string
  /** A primary link looks like the page's main button. */
  readonly rank: "primary" | "secondary"
}

/** A link that looks like a button: the user's next step. */
export function LinkButton({ url, text, rank }: LinkButtonProps): JSX.Element {
  return (
    <a class={rank === "primary" ? "button button-primary" : "button"} href={url}>
      <span class="button-text">{text}</span>
    </a>
  )
}

/** Separates two alternatives, such as a form and the buttons below it. */
export function Divider({ t }: { readonly t: Translator }): JSX.Element {
  return (
    <p class="divider">
      <span>{t.translate("signIn.or")}</span>
    </p>
  )
}

/** Fills one user's values into a page that was rendered before. Values must not be empty; they are escaped. */
export type Template<Placeholder extends string> = (values: Readonly<Record<Placeholder, string>>) => string

/**
 * Renders a page once for many users whose pages differ only in a few values, such as the CSRF token.
 *
 * @param placeholders Names of the values that differ.
 * @param render Renders the page with the given texts in place of the values.
 */
export function createTemplate<Placeholder extends string>(
  placeholders: readonly Placeholder[],
  render: (texts: Readonly<Record<Placeholder, string>>) => string,
): Template<Placeholder> {
  // Random, so that no text of a host or a user can look like one.
  const mark = `placeholder${randomHex(16)}`
  const texts = Object.fromEntries(placeholders.map((name) => [name, mark + name + mark]))
  // as: of each placeholder.
  const page = render(texts as Record<Placeholder, string>)
  // With one character beyond Latin-1, such as the dash in its title, an engine keeps the whole page in two bytes for each, and
  // takes three times as long to encode it. Pages in other scripts would only become longer.
  const narrow = page.replace(/[\u0100-\u{10ffff}]/gu, (character) => `&#${character.codePointAt(0)};`)
  const shorter = narrow.length < page.length * 1.1 ? narrow : page
  // Texts from a parser have one byte for each character, where all fit. Every second part is the name of a placeholder.
  const parts: readonly string[] = JSON.parse(JSON.stringify(shorter.split(mark)))
  return (values) => {
    const filled = [...parts]
    for (const name of placeholders) {
      const escaped = escapeText(values[name])
      for (let at = 1; at < filled.length; at += 2) if (parts[at] === name) filled[at] = escaped
    }
    return filled.join("")
  }
}
