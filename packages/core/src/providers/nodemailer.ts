// Imported as `@latchkey/core/providers/nodemailer`.

import type { SentMessageInfo, Transporter, TransportOptions } from "nodemailer"
import { defaultMaxAgeSeconds, type OutgoingMail, sendsMessages, writeMail } from "../mail/deliver.js"
import type { EmailConfig, EmailUserConfig } from "../types/providers.js"

/**
 * SMTP URL, options, transport or transporter of nodemailer. Typed without nodemailer, which may not be installed.
 * @see https://nodemailer.com/smtp
 */
export type NodemailerServer = string | object

/** Options of the Nodemailer provider. */
export interface NodemailerOptions extends EmailUserConfig {
  /** Required; optional in the type, like an environment variable. */
  readonly server?: NodemailerServer | undefined
}

/**
 * Sign-in by email link, sent over SMTP. Requires an adapter and the package `nodemailer`, which is loaded for the
 * first email. Each email opens a connection; to reuse connections, pass a transporter.
 *
 * `from` is the sender's address. Default: `no-reply@` and the service's host name. You do not need to register a
 * callback URL.
 * @example Nodemailer({ server: process.env.EMAIL_SERVER, from: "Harbour <no-reply@harbour.example>" })
 * @throws TypeError without `server`.
 */
export function Nodemailer(options: NodemailerOptions): EmailConfig {
  const server = typeof options.server === "string" ? options.server.trim() : options.server
  if (!server) throw new TypeError(serverMissing)
  return {
    id: "nodemailer",
    name: "Nodemailer",
    type: "email",
    server,
    maxAge: defaultMaxAgeSeconds,
    code: !options.sendVerificationRequest,
    ...(!options.sendVerificationRequest && { optionRules: { server: findMistake } }),
    sendVerificationRequest: sendsMessages(async (params) => send(await writeMail(params), server)),
    options,
  }
}

/** What is wrong with a server that is text. */
function findMistake(server: unknown): string | null {
  if (typeof server !== "string" || /^(?:smtps?|direct):$/.test(URL.parse(server)?.protocol ?? "")) return null
  return "must be an SMTP URL, such as smtp://user:password@mail.example.com:587. Percent-encode special characters of the user name and the password, such as # as %23"
}

const serverMissing =
  "Nodemailer: `server` is missing. Set it to an SMTP URL, such as smtp://user:password@mail.example.com:587, or to options or a transport of nodemailer"

async function send(mail: OutgoingMail, server: NodemailerServer): Promise<void> {
  // For such a URL, Node would print a warning that quotes the password.
  const mistake = findMistake(server)
  if (mistake !== null) throw new Error(`Nodemailer: \`server\` ${mistake}`)
  const { createTransport } = await import("nodemailer").catch((cause: unknown) => {
    throw new Error("The package nodemailer cannot be loaded. Install it: npm install nodemailer", { cause })
  })
  const isFinished = isTransporter(server)
  // nodemailer distinguishes the other forms itself.
  const transporter = isFinished ? server : createTransport(server as TransportOptions)
  try {
    assertAccepted(await transporter.sendMail(mail).catch((error: unknown) => throwWithoutAddress(error, mail)))
  } finally {
    if (!isFinished) transporter.close()
  }
}

function isTransporter(server: NodemailerServer): server is Transporter {
  return typeof server === "object" && "sendMail" in server && typeof server.sendMail === "function"
}

interface TransportError {
  readonly code?: unknown
  readonly responseCode?: unknown
  readonly address?: unknown
  readonly port?: unknown
  readonly response?: unknown
}

/** Names what to check, and says what the mail server answered. */
function throwWithoutAddress(error: unknown, mail: OutgoingMail): never {
  const { code, responseCode, address, port, response }: TransportError = Object(error)
  const reason = [code, responseCode].filter((part) => typeof part === "string" || typeof part === "number").join(" ")
  const place = typeof address === "string" && typeof port === "number" ? ` at ${address}:${port}` : ""
  const advice = new Map<unknown, string>([
    ["EAUTH", "The mail server refused the user name or password. Check `server`"],
    ["EDNS", "The name of the mail server is unknown. Check `server`"],
    ["ECONNECTION", `The mail server${place} cannot be reached. Check \`server\``],
    ["ESOCKET", `The mail server${place} cannot be reached, or TLS failed. Check \`server\``],
    ["ETIMEDOUT", `The mail server${place} did not answer in time. Check \`server\``],
  ]).get(code)
  const words = typeof response === "string" ? quoteServer(response, mail) : ""
  throw new Error(`${advice ?? "The email could not be sent"}${reason && ` (${reason})`}${words && `: ${words}`}`)
}

const maxWords = 200

/**
 * The words of a mail server, such as "550 5.7.1 relaying denied". They may quote the recipient, and a filter may quote the
 * email with its link and code: every address, URL, long word and number is withheld, and whatever else stands in the email.
 */
function quoteServer(response: string, { to, subject, text, html }: OutgoingMail): string {
  const written = [to, subject, text, html].join(" ")
  const isSafe = (word: string) => {
    const [core = ""] = /\w(?:.*\w)?/.exec(word) ?? []
    if (/[@/=&%]|\d{6}|[\w-]{20}/.test(core) || core === to.split("@", 1)[0]) return false
    const isPlain = core.length < 4 || /^(?:\p{L}+|[a-z\d-]+(?:\.[a-z\d-]+)+)$/iu.test(core)
    return isPlain || !written.includes(core)
  }
  const line = response
    .slice(0, maxWords)
    .replace(/\p{Cc}+/gu, " ")
    .replace(/\d{3}[ -]\d{3}(?!\d)/g, "[withheld]")
  return line
    .split(" ")
    .map((word) => (isSafe(word) ? word : "[withheld]"))
    .join(" ")
    .trim()
}

function assertAccepted({ rejected = [], pending = [] }: SentMessageInfo): void {
  if (rejected.length + pending.length > 0) throw new Error("The mail server did not accept the recipient")
}

export default Nodemailer
