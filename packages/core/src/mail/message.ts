import { isHttp } from "../http/origin.js"
import { english, type Locale, type Message } from "../messages/locale.js"
import { pageMessages } from "../messages/pages.js"
import { type MessageValues, translateFrom } from "../messages/translate.js"
import { formatDuration } from "../pages/theme/duration.js"
import { findDevice } from "../session/device.js"
import type { Theme } from "../types/basics.js"
import { codeMaxAgeSeconds, linkMaxAgeSeconds } from "./secret.js"
import { type MailContent, type MailLink, renderMail } from "./template.js"

/** The messages of the sign-in mail. `{host}` is the name of the site. */
export const mailMessages = {
  subject: "Sign in to {host}",
  subjectWithCode: "{code} is your code for {host}",
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
  time: "Time: {time}",
  device: "Device: {device}",
  deviceName: "{browser} on {system}",
} as const

const linkNames = ["terms", "privacy", "support"] as const

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
  /** Whether the subject has the code. Default: false. */
  readonly isCodeInSubject?: boolean
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

/** Writes the sign-in mail. Its HTML loads nothing but the site's logo. */
export function signInMail(content: SignInMailContent): SignInMail {
  const {
    url,
    host,
    validSeconds,
    code,
    codeSeconds = validSeconds,
    isCodeInSubject,
    theme,
    locale = english,
  } = content
  const translate = translateFrom(mailMessages, "mail.", locale, { host: toSiteName(theme, host) })
  const duration = formatDuration(validSeconds, locale.language)
  const lifetime =
    code === undefined
      ? translate("lifetime", { duration })
      : translate("lifetimeOfBoth", { code: formatDuration(codeSeconds, locale.language), link: duration })
  const heading = translate("subject")
  return writeMessage({
    // Without the code unless the app wants it: notifications show the subject on a locked screen.
    subject: code !== undefined && isCodeInSubject === true ? translate("subjectWithCode", { code }) : heading,
    heading,
    siteName: toSiteName(theme, host),
    preview: lifetime,
    request: translate(code === undefined ? "request" : "requestWithCode"),
    requestInText: translate("requestInText"),
    button: translate("button"),
    linkText: translate("link"),
    url,
    codeText: translate("code"),
    code,
    facts: [],
    notes: [lifetime, translate(code === undefined ? "disclaimer" : "disclaimerOfBoth")],
    theme,
    locale,
  })
}

/** The name of the site, for a subject. */
function toSiteName(theme: Theme, host: string): string {
  return toLine(theme.name ?? "") || toLine(host)
}

/** Writes an email with a button, and perhaps a code. Its HTML loads nothing but the site's logo. */
function writeMessage(content: Omit<MailContent, "links">): SignInMail {
  const { requestInText, url, codeText, code, facts, notes } = content
  const subject = toLine(content.subject)
  const heading = toLine(content.heading)
  const codeLines = code === undefined ? [] : [`${codeText}\n${code}`]
  const factLines = facts.length === 0 ? [] : [facts.join("\n")]
  const links = listLinks(content)
  const linkLines = links.length === 0 ? [] : [links.map((link) => `${link.text}: ${link.url}`).join("\n")]
  const paragraphs = [heading, `${requestInText}\n${url}`, ...codeLines, ...factLines, ...notes, ...linkLines]
  const html = renderMail({ ...content, subject, heading, links })
  return { subject, text: `${paragraphs.join("\n\n")}\n`, html }
}

/** The links of the theme. A path is one of the app. */
function listLinks({ theme, url, locale }: Pick<MailContent, "theme" | "url" | "locale">): readonly MailLink[] {
  const translate = translateFrom(pageMessages, "", locale)
  return linkNames.flatMap((name) => {
    const given = theme.links?.[name]?.trim()
    const link = given ? URL.parse(given, new URL("/", url)) : null
    return link && isHttp(link) ? [{ text: translate(`links.${name}`), url: link.href }] : []
  })
}

/** The kinds of email of a feature, and their messages. */
export interface MailTexts<Kind extends string> {
  /** Id of the provider or of the feature, for the log. */
  readonly from: string
  /** What the ids of the messages start with in a language. */
  readonly prefix: string
  /**
   * In English. Each kind may have `<kind>.request`, `<kind>.inText`, `<kind>.code` and `<kind>.note`; the defaults of the first
   * and the last are `request` and `note`.
   */
  readonly messages: Readonly<Record<string, Message> & Record<`${Kind}.subject`, Message>>
  /** The message on the button of each kind. Undefined: that of the sign-in email. */
  readonly buttons: Readonly<Record<Kind, string | undefined>>
  /** The kinds that tell about something that happened: they say when and where. */
  readonly notices: readonly NoInfer<Kind>[]
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

/** The theme and the language of an email, and the request that sends it. */
interface MailFrame extends Pick<MailContent, "theme" | "locale"> {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly userAgent: string | null
}

/** Writes an email of a feature. */
export function writeFeatureMessage<Kind extends string>(
  { kind, url, code, values, seconds }: FeatureMail<Kind>,
  { messages, prefix, buttons, notices }: MailTexts<Kind>,
  frame: MailFrame,
): SignInMail {
  const { theme, locale } = frame
  const toTime = (duration: number) => formatDuration(duration, locale.language)
  const host = toSiteName(theme, new URL(url).host)
  const duration = seconds === undefined ? undefined : toTime(seconds)
  const list: Readonly<Record<string, Message>> = messages
  const translate = translateFrom(list, prefix, locale, { ...values, host, duration })
  const common = translateFrom(mailMessages, "mail.", locale, { host })
  const lifetime = common("lifetimeOfBoth", { code: toTime(codeMaxAgeSeconds), link: toTime(linkMaxAgeSeconds) })
  const orElse = (id: string, fallback: string) => translate(id in list ? id : fallback)
  const note = orElse(`${kind}.note`, "note")
  const request = orElse(`${kind}.request`, "request")
  const button = buttons[kind]
  const heading = translate(`${kind}.subject`)
  return writeMessage({
    subject: heading,
    heading,
    siteName: host,
    preview: code === undefined ? request : lifetime,
    request,
    requestInText: `${kind}.inText` in list ? translate(`${kind}.inText`) : request,
    button: button === undefined ? common("button") : translate(button),
    linkText: common("link"),
    url,
    codeText: code === undefined ? "" : translate(`${kind}.code`),
    code,
    facts: notices.includes(kind) ? listFacts(frame) : [],
    notes: code === undefined ? [note] : [lifetime, note],
    theme,
    locale,
  })
}

/**
 * When and where something happened, as far as it is known: in UTC, because the reader's time zone is not, and with the names of
 * browser and system as the list of sessions has them.
 */
function listFacts({ time, userAgent, locale }: MailFrame): readonly string[] {
  const translate = translateFrom(mailMessages, "mail.", locale)
  const format = new Intl.DateTimeFormat(locale.language, {
    ...{ year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "2-digit" },
    ...{ timeZone: "UTC", timeZoneName: "short" },
  } as const)
  const { browser, system } = findDevice(userAgent)
  const device = browser && system ? translate("deviceName", { browser, system }) : (browser ?? system)
  return [
    translate("time", { time: format.format(time) }),
    ...(device === null ? [] : [translate("device", { device })]),
  ]
}

/** A line break would start another header of the mail. */
function toLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").trim()
}
