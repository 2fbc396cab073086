/** @jsxImportSource #markup */

import { english, type Locale, type Message } from "../messages/locale.js"
import { type MessageValues, translateFrom } from "../messages/translate.js"
import { type JSX, renderToString } from "../pages/markup/jsx-runtime.js"
import { resolveAccent, toHex } from "../pages/theme/color.js"
import { formatDuration } from "../pages/theme/duration.js"
import type { Theme } from "../types/basics.js"
import { codeMaxAgeSeconds, linkMaxAgeSeconds } from "./secret.js"

/** The messages of the sign-in mail. `{host}` is the name of the site. */
export const mailMessages = {
  subject: "Sign in to {host}",
  request: "Use this button to sign in. Nothing else is needed.",
  requestWithCode: "Use this button to sign in, or the code below.",
  requestInText: "Open this link to sign in:",
  code: "Or type this code where you asked to sign in:",
  button: "Sign in",
  link: "If the button does not work, copy this link into your browser:",
  lifetime: "The link works once and for {duration}.",
  lifetimeOfBoth: "The code works for {code}, the link for {link}. After one of them is used, neither works.",
  disclaimer: "If you did not request this email, ignore it. No one can sign in without the link.",
  disclaimerOfBoth:
    "If you did not request this email, ignore it. No one can sign in without the link or the code. Do not give the code to anyone.",
} as const

/** The content of a sign-in mail. */
export interface SignInMailContent {
  /** The sign-in link. It is a secret. */
  readonly url: string
  /** The host that the link signs in to, such as `app.example`. */
  readonly host: string
  /** How long the link is valid, in seconds. */
  readonly validSeconds: number
  /** Six digits to type where the sign-in began. They are a secret. Undefined for a mail with a link alone. */
  readonly code?: string | undefined
  /** How long the code is valid, in seconds. */
  readonly codeSeconds?: number
  readonly theme: Theme
  /** Default: English. */
  readonly locale?: Locale
}

/** A mail as text and as HTML; each is complete without the other. */
export interface SignInMail {
  /** One line. */
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Writes the sign-in mail. Its HTML loads no external resources. */
export function signInMail(content: SignInMailContent): SignInMail {
  const { url, host, validSeconds, code, codeSeconds = validSeconds, theme, locale = english } = content
  const translate = translateFrom(mailMessages, "mail.", locale, { host: toSiteName(theme, host) })
  const duration = formatDuration(validSeconds, locale.language)
  const lifetime =
    code === undefined
      ? translate("lifetime", { duration })
      : translate("lifetimeOfBoth", { code: formatDuration(codeSeconds, locale.language), link: duration })
  return writeMessage({
    // Without the code: notifications show the subject on a locked screen.
    subject: translate("subject"),
    request: translate(code === undefined ? "request" : "requestWithCode"),
    requestInText: translate("requestInText"),
    button: translate("button"),
    url,
    codeText: translate("code"),
    code,
    notes: [lifetime, translate(code === undefined ? "disclaimer" : "disclaimerOfBoth")],
    theme,
    locale,
  })
}

/** The name of the site, for a subject. */
function toSiteName(theme: Theme, host: string): string {
  return toLine(theme.name ?? "") || toLine(host)
}

/** What a mail with a button says. */
interface MessageContent {
  /** One line. It is the heading, too. */
  readonly subject: string
  /** What the button is for. */
  readonly request: string
  /** The same above the link of the plain text, which has no button. */
  readonly requestInText: string
  readonly button: string
  /** The target of the button. */
  readonly url: string
  /** The sentence above the code. */
  readonly codeText: string
  /** Undefined if the mail has none. */
  readonly code: string | undefined
  /** The quiet sentences at the end: how long it works, and what to do if you did not ask for it. */
  readonly notes: readonly string[]
  readonly theme: Theme
  readonly locale: Locale
}

/** Writes an email with a button, and perhaps a code. Its HTML loads no external resources. */
function writeMessage(content: MessageContent): SignInMail {
  const { requestInText, url, codeText, code, notes } = content
  const subject = toLine(content.subject)
  const codeLines = code === undefined ? [] : [`${codeText}\n${code}`]
  const paragraphs = [subject, `${requestInText}\n${url}`, ...codeLines, ...notes]
  const html = renderToString(<MailDocument {...content} subject={subject} />)
  return { subject, text: `${paragraphs.join("\n\n")}\n`, html: `<!DOCTYPE html>${html}` }
}

/** The kinds of email of a feature, and their messages. */
export interface MailTexts<Kind extends string> {
  /** Id of the provider or of the feature, for the log. */
  readonly from: string
  /** What the ids of the messages start with in a language. */
  readonly prefix: string
  /** In English. Each kind may have `<kind>.inText`, `<kind>.code` and `<kind>.note`; the default of the last is `note`. */
  readonly messages: Readonly<Record<string, Message> & Record<`${Kind}.${"subject" | "request"}`, Message>>
  /** The message on the button of each kind. Undefined: that of the sign-in email. */
  readonly buttons: Readonly<Record<Kind, string | undefined>>
}

/** An email of a feature. */
export interface FeatureMail<Kind extends string> {
  readonly kind: Kind
  readonly to: string
  /** The target of its button. */
  readonly url: string
  /** Undefined for an email without a code. */
  readonly code?: string | undefined
  /** Values for its messages, besides `host`. */
  readonly values?: MessageValues
  /** How long something is possible: the value `duration`. */
  readonly seconds?: number
}

/** Writes an email of a feature. */
export function writeFeatureMessage<Kind extends string>(
  { kind, url, code, values, seconds }: FeatureMail<Kind>,
  { messages, prefix, buttons }: MailTexts<Kind>,
  { theme, locale }: Pick<MessageContent, "theme" | "locale">,
): SignInMail {
  const toTime = (duration: number) => formatDuration(duration, locale.language)
  const host = toSiteName(theme, new URL(url).host)
  const duration = seconds === undefined ? undefined : toTime(seconds)
  const list: Readonly<Record<string, Message>> = messages
  const translate = translateFrom(list, prefix, locale, { ...values, host, duration })
  const common = translateFrom(mailMessages, "mail.", locale, { host })
  const lifetime = common("lifetimeOfBoth", { code: toTime(codeMaxAgeSeconds), link: toTime(linkMaxAgeSeconds) })
  const note = translate(`${kind}.note` in list ? `${kind}.note` : "note")
  const button = buttons[kind]
  return writeMessage({
    subject: translate(`${kind}.subject`),
    request: translate(`${kind}.request`),
    requestInText: translate(`${kind}.inText` in list ? `${kind}.inText` : `${kind}.request`),
    button: button === undefined ? common("button") : translate(button),
    url,
    codeText: code === undefined ? "" : translate(`${kind}.code`),
    code,
    notes: code === undefined ? [note] : [lifetime, note],
    theme,
    locale,
  })
}

/** A line break would start another header of the mail. */
function toLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").trim()
}

const font = "font-family:-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif"

/**
 * For mail clients that support dark mode; others show the inline colors. Without quotes, ampersands and angle
 * brackets, which the renderer would escape.
 */
const darkScheme = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){.page{background:#0f1315!important}
.card{background:#181d20!important;border-color:#30383d!important}
.ink{color:#e7ebee!important}.quiet{color:#a5b0b7!important}.line{border-color:#30383d!important}}`

function MailDocument(props: MessageContent): JSX.Element {
  const { subject, locale } = props
  return (
    <html lang={locale.language} dir={locale.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
        <style>{darkScheme}</style>
      </head>
      <body class="page" style="margin:0;padding:0;background:#f4f6f7">
        <table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f6f7">
          <tr>
            <td align="center" style="padding:32px 16px">
              <Card {...props} />
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

function Card({ subject, request, button, url, codeText, code, notes, theme, locale }: MessageContent): JSX.Element {
  const frame = "max-width:480px;background:#ffffff;border:1px solid #dbe0e3;border-radius:8px;border-collapse:separate"
  return (
    <table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style={frame}>
      <tr>
        <td dir={locale.direction} style={`padding:32px;${font};font-size:16px;line-height:24px`}>
          <h1 class="ink" style="margin:0 0 8px;font-size:20px;line-height:28px;font-weight:600;color:#192024">
            {subject}
          </h1>
          <p class="ink" style="margin:0 0 24px;color:#192024">
            {request}
          </p>
          <LinkButton url={url} text={button} theme={theme} />
          {code !== undefined && <Code text={codeText} code={code} />}
          <p class="quiet" style={`margin:24px 0 4px;${small};color:#56626a`}>
            {translateFrom(mailMessages, "mail.", locale)("link")}
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
        </td>
      </tr>
    </table>
  )
}

/** In one piece: phones offer to fill in a code, and find it as six digits in a row. */
function Code({ text, code }: { readonly text: string; readonly code: string }): JSX.Element {
  return (
    <>
      <p class="ink" style="margin:24px 0 4px;color:#192024">
        {text}
      </p>
      <p class="ink" style="margin:0;font-size:28px;line-height:36px;font-weight:600;letter-spacing:4px;color:#192024">
        {code}
      </p>
    </>
  )
}

/** The cell is colored too: some desktop clients ignore padding and background of a link. */
function LinkButton({
  url,
  text,
  theme,
}: Pick<MessageContent, "url" | "theme"> & { readonly text: string }): JSX.Element {
  const { fill, text: ink } = resolveAccent(theme)
  const shape = "display:inline-block;padding:12px 24px;border-radius:8px;font-weight:600;text-decoration:none"
  return (
    <table role="presentation" cellpadding="0" cellspacing="0" style="border-collapse:separate">
      <tr>
        <td align="center" style={`border-radius:8px;background:${toHex(fill)}`}>
          <a
            href={url}
            style={`${shape};${font};font-size:16px;line-height:20px;background:${toHex(fill)};color:${toHex(ink)}`}
          >
            {text}
          </a>
        </td>
      </tr>
    </table>
  )
}
