import { type ComponentChildren, Fragment, type JSX } from "preact"
import { renderToString } from "preact-render-to-string"
import { randomHex } from "../crypto/random.js"
import { isHttp } from "../http/origin.js"
import type { Theme } from "../types/basics.js"
import type { Translator } from "./messages.js"

interface DocumentProps {
  /** What the page is about, without the site's name. */
  readonly title: string
  readonly frame: PageFrame
  readonly speech: Translator
  /** Address of a script of the service's own. The page must be of use without it. */
  readonly scriptUrl?: string | undefined
  /** The content of the card. It begins with the only `h1`. */
  readonly children: ComponentChildren
}

/** The whole page as text, from the doctype on. */
export function renderDocument(props: DocumentProps): string {
  return `<!DOCTYPE html>${renderToString(<Document {...props} />)}`
}

function Document({ title, frame, speech, scriptUrl, children }: DocumentProps): JSX.Element {
  const scheme = toScheme(frame.theme.colorScheme)
  return (
    <html lang={speech.language} dir={speech.direction}>
      <head>
        <meta charset="utf-8" />
        <title>{speech.say("title.page", { page: title })}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={scheme === "auto" ? "light dark" : scheme} />
        <meta name="robots" content="noindex" />
        <link rel="stylesheet" href={frame.stylesheetUrl} />
        {scriptUrl !== undefined && <script src={scriptUrl} defer />}
      </head>
      <body class={`__next-auth-theme-${scheme}`}>
        <header class="site">
          <a class="site-link" href={frame.siteUrl}>
            <SiteMark frame={frame} />
          </a>
        </header>
        <main class="card">{children}</main>
      </body>
    </html>
  )
}

function SiteMark({ frame }: { readonly frame: PageFrame }): JSX.Element {
  const logo = parseLogo(frame.theme.logo, frame.siteUrl)
  if (logo === undefined) return <>{frame.siteName}</>
  return <img class="site-logo" src={logo} alt={frame.siteName} />
}

/** The type says so already, but a host without types may write anything, and it becomes part of a class name. */
function toScheme(colorScheme: string | undefined): "auto" | "dark" | "light" {
  return colorScheme === "dark" || colorScheme === "light" ? colorScheme : "auto"
}

/** What all built-in pages have in common. */
export interface PageFrame {
  readonly theme: Theme
  /** The host people know, such as `app.example`. */
  readonly siteName: string
  /** The site's origin, where "back" leads. */
  readonly siteUrl: string
  /** Address of the stylesheet that `renderStylesheet` made, with its hash in the query. */
  readonly stylesheetUrl: string
  /** A language tag. One that has no words is answered in English. */
  readonly language: string
}

/** What the operator's log says of a failure. For the developer's own browser only: the caller decides when. */
export interface DeveloperDetails {
  /** The error's type. */
  readonly type: string
  readonly message: string
  /** Messages of the errors that led to it, the nearest first. */
  readonly causes: readonly string[]
}

/** What an image inside an address may be. SVG is safe here: in an `img` it runs no script and loads nothing. */
const inlineImage = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i

/**
 * The host's logo as an `img` may load it: an http(s) URL or a path. Anything else counts as not given.
 * @param siteUrl The site's origin, to which a path belongs.
 */
export function parseLogo(source: string | undefined, siteUrl: string): string | undefined {
  const logo = source?.trim()
  return logo && isHttp(URL.parse(logo, siteUrl)) ? logo : undefined
}

/** A provider's logo: as `parseLogo`, and also an image that is carried in a `data:` URL. */
export function parseProviderLogo(source: string | undefined, siteUrl: string): string | undefined {
  return inlineImage.test(source?.trim() ?? "") ? source?.trim() : parseLogo(source, siteUrl)
}

interface LinkButtonProps {
  readonly url: string
  readonly text: string
  /** The first way on looks like the page's main button. */
  readonly rank: "first" | "second"
}

/** A link that looks like a button: where to go from here. */
export function LinkButton({ url, text, rank }: LinkButtonProps): JSX.Element {
  return (
    <a class={rank === "first" ? "button button-primary" : "button button-second"} href={url}>
      <span class="button-text">{text}</span>
    </a>
  )
}

/** Puts a visitor's own values, none of them empty, into a page that was printed before. They are escaped. */
export type Template<Blank extends string> = (values: Readonly<Record<Blank, string>>) => string

/**
 * Prints a page once for many visitors: all of it is the same for them, but for some values in its forms.
 *
 * @param blanks Names of those values.
 * @param print Renders the page with the texts it is given in place of the values.
 */
export function createTemplate<Blank extends string>(
  blanks: readonly Blank[],
  print: (texts: Readonly<Record<Blank, string>>) => string,
): Template<Blank> {
  // Nothing that a host or a visitor writes can look like one of these.
  const texts = new Map(blanks.map((blank) => [blank, `blank${randomHex(16)}`]))
  // Each blank has its text, as the line above shows.
  const printed = print(Object.fromEntries(texts) as Record<Blank, string>)
  const pieces = cut(printed, texts)
  return (values) => {
    const escaped = new Map(blanks.map((blank) => [blank, toMarkup(values[blank])]))
    let page = ""
    for (const { before, blank } of pieces) page += before + (blank === undefined ? "" : escaped.get(blank))
    return page
  }
}

interface Piece<Blank> {
  readonly before: string
  /** Undefined after the last one. */
  readonly blank: Blank | undefined
}

function cut<Blank>(printed: string, texts: ReadonlyMap<Blank, string>): readonly Piece<Blank>[] {
  const blanksByText = new Map([...texts].map(([blank, text]) => [text, blank]))
  // The texts are letters and digits alone. In the split they stand at each odd place.
  const parts = printed.split(new RegExp(`(${[...texts.values()].join("|")})`))
  return parts.flatMap((before, at) => (at % 2 === 0 ? [{ before, blank: blanksByText.get(parts[at + 1] ?? "") }] : []))
}

/** As the renderer writes texts and attributes. */
function toMarkup(value: string): string {
  return renderToString(<Fragment>{value}</Fragment>)
}
