import type { EmailConfig, EmailUserConfig } from "@latchkey/core/types"

/** A message with a sign-in link. */
export interface Message {
  /** The normalized address. */
  readonly to: string
  /** The sign-in link. */
  readonly url: string
  /** The token in the link. */
  readonly token: string
  /** The six digits, if the provider has `code: true`. */
  readonly code: string | undefined
  readonly expires: Date
  /** Id of the email provider. */
  readonly provider: string
}

/** A mail server with all its inboxes. */
export interface Mailbox {
  /** For the option of this name of an email provider. */
  readonly sendVerificationRequest: EmailConfig["sendVerificationRequest"]
  /** All messages, oldest first. */
  readonly messages: readonly Message[]
  /** Returns the newest link. @throws Error if no message arrived */
  lastLink(): string
  /** Returns the newest code. @throws Error if no message has one */
  lastCode(): string
  /** Returns the newest link to an address. @throws Error if no message arrived there */
  lastLinkTo(address: string): string
  /** Makes the next message fail, as if the mail server were down. */
  refuseNext(error?: Error): void
  /** Deletes all messages. */
  clear(): void
}

/** Creates an empty mailbox. */
export function createMailbox(): Mailbox {
  const messages: Message[] = []
  const refusals: Error[] = []

  function getLink(found: Message | undefined, where: string): string {
    if (!found) throw new Error(`No message arrived${where}. The mailbox has ${messages.length} messages`)
    return found.url
  }

  return {
    messages,
    async sendVerificationRequest({ identifier, url, token, code, expires, provider }) {
      const refusal = refusals.shift()
      if (refusal) throw refusal
      messages.push({ to: identifier, url, token, code, expires, provider: provider.id })
    },
    lastLink: () => getLink(messages.at(-1), ""),
    lastCode() {
      const code = messages.findLast((message) => message.code !== undefined)?.code
      if (code === undefined) throw new Error("No message has a code. Give the provider code: true")
      return code
    },
    lastLinkTo: (address) =>
      getLink(
        messages.findLast(({ to }) => to === address),
        ` for ${address}`,
      ),
    refuseNext: (error = new Error("The mail server is down")) => void refusals.push(error),
    clear: () => void messages.splice(0),
  }
}

/**
 * An email provider for tests with the id `email`. Its messages arrive in the mailbox of the {@link testHost} that uses it.
 * @example testHost({ providers: [testEmail({ maxAge: 600 })] })
 */
export function testEmail(overrides: EmailUserConfig = {}): EmailConfig {
  const { id = "email", name = "Email", from = "no-reply@app.test", sendVerificationRequest = refuseToSend } = overrides
  return { ...overrides, type: "email", id, name, from, sendVerificationRequest }
}

/** The same provider with a mailbox as its sender, unless it has a sender of its own. */
export function connectToMailbox(provider: EmailConfig, { sendVerificationRequest }: Mailbox): EmailConfig {
  return provider.sendVerificationRequest === refuseToSend ? { ...provider, sendVerificationRequest } : provider
}

function refuseToSend(): never {
  throw new Error(
    "testEmail has no mailbox. Pass { sendVerificationRequest: mailbox.sendVerificationRequest }, or use testHost",
  )
}
