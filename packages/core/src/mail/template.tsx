/** @jsxImportSource #markup */

import type { Locale } from "../messages/locale.js"
import { type JSX, renderToString } from "../pages/markup/jsx-runtime.js"
import { resolveAccent, toHex } from "../pages/theme/color.js"
import type { Theme } from "../types/basics.js"

/** What a mail with a button says. */
export interface MailContent {
  /** One line. */
  readonly subject: string
  readonly heading: string
  readonly siteName: string
  /** What lists of emails show after the subject. Never the code: it would be on locked screens. */
  readonly preview: string
  /** What the button is for. */
  readonly request: string
  /** The same above the link of the plain text, which has no button. */
  readonly requestInText: string
  readonly button: string
  /** The sentence above the link, for clients that do not show the button. */
  readonly linkText: string
  /** The target of the button. */
  readonly url: string
  /** The sentence above the code. */
  readonly codeText: string
  /** Undefined if the mail has none. */
  readonly code: string | undefined
  /** When and where it happened. */
  readonly facts: readonly string[]
  /** The quiet sentences at the end: how long it works, and what to do if you did not ask for it. */
  readonly notes: readonly string[]
  /** The links of the theme, below everything else. */
  readonly links: readonly MailLink[]
  readonly theme: Theme
  readonly locale: Locale
}

/** A link with its text. */
export interface MailLink {
  readonly text: string
  readonly url: string
}

const font = "font-family:-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif"

/**
 * For mail clients that support dark mode; others show the inline colors. Without quotes, ampersands and angle
 * brackets, which the renderer would escape.
 */
const darkScheme = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){.page{background:#0f1315!important}
.card{background:#181d20!important;border-color:#30383d!important}
.ink{color:#e7ebee!important}.quiet{color:#a5b0b7!important}.line{border-color:#30383d!important}
.on-light{display:none!important}.on-dark{display:block!important}}`

/** Where the card goes. */
const emptyCard = "<main></main>"

/** Outlook's engine, that of Word, ignores `max-width`: it gets a table of 600 pixels. Others take it for a comment. */
const wordFrame = (card: string): string =>
  `<!--[if mso]><table role="presentation" width="600" align="center" cellpadding="0" cellspacing="0"><tr><td><![endif]-->${card}<!--[if mso]></td></tr></table><![endif]-->`

const hidden = "display:none;max-height:0;overflow:hidden;mso-hide:all"

/** Blanks after the preview, so that lists of emails show nothing of the text below, such as the code. */
const previewEnd = "\u034f \u200c ".repeat(100)

/** Writes the HTML of an email. It loads nothing but the site's logo. */
export function renderMail(content: MailContent): string {
  const html = renderToString(<MailDocument {...content} />)
  // No value contains this element, because values are escaped.
  return `<!DOCTYPE html>${html.replace(emptyCard, () => wordFrame(renderToString(<Card {...content} />)))}`
}

function MailDocument({ heading, preview, locale }: MailContent): JSX.Element {
  return (
    <html lang={locale.language} dir={locale.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{heading}</title>
        <style>{darkScheme}</style>
      </head>
      <body class="page" style="margin:0;padding:0;background:#f4f6f7">
        <div style={hidden}>{`${preview} ${previewEnd}`}</div>
        <table
          role="presentation"
          class="page"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          dir={locale.direction}
          style="background:#f4f6f7"
        >
          <tr>
            <td align="center" style="padding:32px 16px">
              <main />
            </td>
          </tr>
        </table>
      </body>
    </html>
  )
}

const small = "font-size:14px;line-height:20px"
const quiet = `${small};color:#56626a`
const lined = "margin:24px 0 0;padding-top:16px;border-top:1px solid #dbe0e3"

function Card(props: MailContent): JSX.Element {
  const { heading, request, button, linkText, url, codeText, code, facts, notes, links, theme, locale } = props
  const frame = "max-width:600px;background:#ffffff;border:1px solid #dbe0e3;border-radius:8px;border-collapse:separate"
  return (
    <table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style={frame}>
      <tr>
        <td
          dir={locale.direction}
          align={locale.direction === "rtl" ? "right" : "left"}
          style={`padding:32px;${font};font-size:16px;line-height:24px`}
        >
          <Site {...props} />
          <h1 class="ink" style="margin:0 0 8px;font-size:20px;line-height:28px;font-weight:600;color:#192024">
            {heading}
          </h1>
          <p class="ink" style="margin:0 0 24px;color:#192024">
            {request}
          </p>
          <LinkButton url={url} text={button} theme={theme} />
          {code !== undefined && <Code text={codeText} code={code} />}
          {facts.map((fact, index) => (
            <p class="ink" style={`margin:${index === 0 ? "24px" : "4px"} 0 0;${small};color:#192024`}>
              {fact}
            </p>
          ))}
          <p class="quiet" style={`margin:24px 0 4px;${small};color:#56626a`}>
            {linkText}
          </p>
          <p class="ink" dir="ltr" style={`margin:0;${small};word-break:break-all;color:#192024`}>
            {url}
          </p>
          {notes.map((note, index) => (
            <p
              class={index === 0 ? "quiet line" : "quiet"}
              style={`${index === 0 ? lined : "margin:8px 0 0"};${quiet}`}
            >
              {note}
            </p>
          ))}
          {links.length > 0 && (
            <p class="quiet" style={`margin:16px 0 0;${quiet}`}>
              {links.map((link, index) => [
                index > 0 && " · ",
                <a class="quiet" href={link.url} style={quiet}>
                  {link.text}
                </a>,
              ])}
            </p>
          )}
        </td>
      </tr>
    </table>
  )
}

/** The site's logo, or its name where it has none that clients show. The name stands in for images that are blocked. */
function Site({ theme, url, siteName }: MailContent): JSX.Element {
  const light = findLogo(theme.logo, url)
  const dark = findLogo(theme.logoDark, url)
  const words = `${small};font-weight:600;color:#192024`
  if (light === undefined) {
    return (
      <p class="ink" style={`margin:0 0 24px;${words}`}>
        {siteName}
      </p>
    )
  }
  const toImage = (source: string, name: string, display: string) => (
    <img
      class={`${name}ink`}
      src={source}
      alt={siteName}
      height={40}
      style={`${display};margin:0 0 24px;border:0;height:40px;width:auto;max-width:240px;${words}`}
    />
  )
  return (
    <>
      {toImage(light, dark === undefined ? "" : "on-light ", "display:block")}
      {dark !== undefined && toImage(dark, "on-dark ", "display:none;mso-hide:all")}
    </>
  )
}

/**
 * The address of a logo for emails: an https URL, or a path of an app that has one. It is the same for every reader, so it tells
 * no one who opened an email. Undefined for a format that mail clients do not show.
 */
function findLogo(source: string | undefined, url: string): string | undefined {
  const logo = source?.trim() ? URL.parse(source.trim(), new URL("/", url)) : null
  if (logo?.protocol !== "https:" || logo.username !== "" || logo.password !== "") return undefined
  return /\.svgz?$/i.test(logo.pathname) ? undefined : logo.href
}

/** In one piece: phones offer to fill in a code, and find it as six digits in a row. */
function Code({ text, code }: { readonly text: string; readonly code: string }): JSX.Element {
  const digits = "margin:0;font-size:28px;line-height:36px;font-weight:600;letter-spacing:4px;color:#192024"
  return (
    <>
      <p class="ink" style="margin:24px 0 4px;color:#192024">
        {text}
      </p>
      <p class="ink" style={digits}>
        <span dir="ltr">{code}</span>
      </p>
    </>
  )
}

/** The cell is colored too: Outlook's engine ignores the padding of a link, and takes that of the cell in its place. */
function LinkButton({ url, text, theme }: Pick<MailContent, "url" | "theme"> & { readonly text: string }): JSX.Element {
  const { fill, text: ink } = resolveAccent(theme)
  const color = toHex(fill)
  const shape = "display:inline-block;padding:12px 24px;border-radius:8px;font-weight:600;text-decoration:none"
  return (
    <table role="presentation" cellpadding="0" cellspacing="0" style="border-collapse:separate">
      <tr>
        <td align="center" bgcolor={color} style={`border-radius:8px;background:${color};mso-padding-alt:12px 24px`}>
          <a
            href={url}
            style={`${shape};${font};font-size:16px;line-height:20px;background:${color};color:${toHex(ink)};mso-padding-alt:0`}
          >
            {text}
          </a>
        </td>
      </tr>
    </table>
  )
}
