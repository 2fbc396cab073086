/** @jsxImportSource #markup */
import { type JSX, renderToString } from "../markup/jsx-runtime.js"
import { resolveAccent, toHex } from "../theme/color.js"
import { formatDuration } from "../theme/duration.js"
import type { Theme } from "../types/basics.js"

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
  const { url, host, validSeconds, code, codeSeconds = validSeconds, theme } = content
  // Without the code: notifications show the subject on a locked screen.
  const subject = mailMessages.subject.replace("{site}", () => toLine(theme.name ?? "") || toLine(host))
  const duration = formatDuration(validSeconds, "en")
  const lifetime =
    code === undefined
      ? mailMessages.lifetime.replace("{duration}", duration)
      : mailMessages.lifetimeOfBoth.replace("{code}", formatDuration(codeSeconds, "en")).replace("{link}", duration)
  const disclaimer = code === undefined ? mailMessages.disclaimer : mailMessages.disclaimerOfBoth
  const codeText = code === undefined ? [] : [`${mailMessages.code}\n${code}`]
  const paragraphs = [subject, `${mailMessages.requestInText}\n${url}`, ...codeText, lifetime, disclaimer]
  const html = renderToString(<MailDocument {...{ subject, url, code, lifetime, disclaimer, theme }} />)
  return { subject, text: `${paragraphs.join("\n\n")}\n`, html: `<!DOCTYPE html>${html}` }
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

interface MailProps {
  readonly subject: string
  readonly url: string
  readonly code: string | undefined
  readonly lifetime: string
  readonly disclaimer: string
  readonly theme: Theme
}

function MailDocument(props: MailProps): JSX.Element {
  const { subject } = props
  return (
    <html lang="en" dir="ltr">
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

function Card({ subject, url, code, lifetime, disclaimer, theme }: MailProps): JSX.Element {
  const frame = "max-width:480px;background:#ffffff;border:1px solid #dbe0e3;border-radius:8px;border-collapse:separate"
  return (
    <table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style={frame}>
      <tr>
        <td align="left" style={`padding:32px;${font};font-size:16px;line-height:24px`}>
          <h1 class="ink" style="margin:0 0 8px;font-size:20px;line-height:28px;font-weight:600;color:#192024">
            {subject}
          </h1>
          <p class="ink" style="margin:0 0 24px;color:#192024">
            {code === undefined ? mailMessages.request : mailMessages.requestWithCode}
          </p>
          <SignInButton url={url} theme={theme} />
          {code !== undefined && <Code code={code} />}
          <p class="quiet" style={`margin:24px 0 4px;${small};color:#56626a`}>
            {mailMessages.link}
          </p>
          <p class="ink" style={`margin:0;${small};word-break:break-all;color:#192024`}>
            {url}
          </p>
          <p
            class="quiet line"
            style={`margin:24px 0 0;padding-top:16px;border-top:1px solid #dbe0e3;${small};color:#56626a`}
          >
            {lifetime}
          </p>
          <p class="quiet" style={`margin:8px 0 0;${small};color:#56626a`}>
            {disclaimer}
          </p>
        </td>
      </tr>
    </table>
  )
}

/** In one piece: phones offer to fill in a code, and find it as six digits in a row. */
function Code({ code }: { readonly code: string }): JSX.Element {
  return (
    <>
      <p class="ink" style="margin:24px 0 4px;color:#192024">
        {mailMessages.code}
      </p>
      <p class="ink" style="margin:0;font-size:28px;line-height:36px;font-weight:600;letter-spacing:4px;color:#192024">
        {code}
      </p>
    </>
  )
}

/** The cell is colored too: some desktop clients ignore padding and background of a link. */
function SignInButton({ url, theme }: { readonly url: string; readonly theme: Theme }): JSX.Element {
  const { fill, text } = resolveAccent(theme)
  const shape = "display:inline-block;padding:12px 24px;border-radius:8px;font-weight:600;text-decoration:none"
  return (
    <table role="presentation" cellpadding="0" cellspacing="0" style="border-collapse:separate">
      <tr>
        <td align="center" style={`border-radius:8px;background:${toHex(fill)}`}>
          <a
            href={url}
            style={`${shape};${font};font-size:16px;line-height:20px;background:${toHex(fill)};color:${toHex(text)}`}
          >
            {mailMessages.button}
          </a>
        </td>
      </tr>
    </table>
  )
}

/** The sentences of the sign-in mail, with the placeholders `{site}` and `{duration}`. */
const mailMessages = {
  subject: "Sign in to {site}",
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
