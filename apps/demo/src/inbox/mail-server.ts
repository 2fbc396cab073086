import PostalMime, { type Address } from "postal-mime"
import { SMTPServer, type SMTPServerDataStream } from "smtp-server"
import { openOnFreePort, portOf } from "../web/loopback-server.js"
import type { Mail, MailStore } from "./mail-store.js"

export interface MailServer {
  readonly port: number
  close(): Promise<void>
}

const largestMailBytes = 1024 * 1024
const closeTimeoutMs = 1000

/** Starts an SMTP server on 127.0.0.1 that accepts mail to any address, stores it in the inbox and never relays it. */
export async function startMailServer(wantedPort: number, mails: MailStore): Promise<MailServer> {
  const server = await openOnFreePort(wantedPort, (port) => open(port, mails))
  return {
    port: portOf(server.server),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function open(port: number, mails: MailStore): Promise<SMTPServer> {
  return new Promise((resolve, reject) => {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS", "AUTH"],
      size: largestMailBytes,
      closeTimeout: closeTimeoutMs,
      onData: (stream, session, done) => {
        receive(stream, session.envelope.rcptTo.map(({ address }) => address).join(", "))
          .then((mail) => mails.add(mail))
          .then(() => done(), done)
      },
    })
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject)
      // Without a listener, a client that disconnects early would crash the demo.
      server.on("error", () => undefined)
      resolve(server)
    })
  })
}

async function receive(stream: SMTPServerDataStream, recipients: string): Promise<Mail> {
  const parts: Uint8Array[] = []
  for await (const part of stream) {
    // SMTP requires reading the stream to its end, even when the mail is too large to keep.
    if (!stream.sizeExceeded) parts.push(toBytes(part))
  }
  if (stream.sizeExceeded) {
    throw Object.assign(new Error("This mail is too large for the demo's inbox."), { responseCode: 552 })
  }
  return parseMail(Buffer.concat(parts), recipients)
}

/** @param recipients From the envelope: the mail's header may omit them. */
async function parseMail(source: Uint8Array, recipients: string): Promise<Mail> {
  const mail = await PostalMime.parse(source)
  return {
    from: toText(mail.from),
    to: recipients,
    subject: mail.subject ?? "",
    receivedAt: new Date(),
    text: mail.text ?? "",
    html: mail.html ?? "",
  }
}

function toText(address: Address | undefined): string {
  if (!address) return ""
  return address.address ? `${address.name} <${address.address}>`.trim() : address.name
}

function toBytes(part: unknown): Uint8Array {
  if (part instanceof Uint8Array) return part
  throw new TypeError("Expected bytes from the SMTP stream.")
}
