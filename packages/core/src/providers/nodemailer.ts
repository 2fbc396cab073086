// Imported as `@latchkey/core/providers/nodemailer`.

import type { SentMessageInfo, Transporter, TransportOptions } from "nodemailer"
import { defaultMaxAgeSeconds, type OutgoingMail, writeMail } from "../mail/deliver.js"
import type { EmailConfig, EmailUserConfig } from "../types/providers.js"

/**
 * SMTP URL, options, transport or finished transporter of nodemailer. Named without its types, which a host need not
 * have.
 * @see https://nodemailer.com/smtp
 */
export type NodemailerServer = string | object

export interface NodemailerOptions extends EmailUserConfig {
  /** Required; typed as an environment variable is. */
  readonly server?: NodemailerServer | undefined
}

/**
 * Sign-in by a link that is mailed over SMTP. Needs the package `nodemailer` and an adapter; the package is loaded when
 * the first mail is sent. A connection is opened for each mail: to keep connections, pass a finished transporter.
 *
 * `from` is the sender's address; default: `no-reply@` and the service's host name. No callback URL is registered anywhere.
 * @example Nodemailer({ server: process.env.EMAIL_SERVER, from: "Harbour <no-reply@harbour.example>" })
 * @throws TypeError without `server`.
 */
export function Nodemailer(options: NodemailerOptions): EmailConfig {
  const { server } = options
  if (!server) throw new TypeError("Nodemailer: `server` is missing (an SMTP URL, options or a transport)")
  return {
    id: "nodemailer",
    name: "Nodemailer",
    type: "email",
    server,
    maxAge: defaultMaxAgeSeconds,
    sendVerificationRequest: async (params) => send(await writeMail(params), server),
    options,
  }
}

async function send(mail: OutgoingMail, server: NodemailerServer): Promise<void> {
  const { createTransport } = await import("nodemailer")
  const isFinished = isTransporter(server)
  // nodemailer tells the other forms apart itself.
  const transporter = isFinished ? server : createTransport(server as TransportOptions)
  try {
    assertAccepted(await transporter.sendMail(mail).catch(throwWithoutAddress))
  } finally {
    if (!isFinished) transporter.close()
  }
}

function isTransporter(server: NodemailerServer): server is Transporter {
  return typeof server === "object" && "sendMail" in server && typeof server.sendMail === "function"
}

/** What mail servers answer repeats the address, and may repeat the mail. */
function throwWithoutAddress(error: unknown): never {
  const { code, responseCode }: { readonly code?: unknown; readonly responseCode?: unknown } = Object(error)
  const reason = [code, responseCode].filter((part) => typeof part === "string" || typeof part === "number").join(" ")
  throw new Error(`The mail could not be handed over${reason && ` (${reason})`}`)
}

function assertAccepted({ rejected = [], pending = [] }: SentMessageInfo): void {
  if (rejected.length + pending.length > 0) throw new Error("The mail server did not accept the recipient")
}

export default Nodemailer
