import type { EmailConfig, EmailUserConfig } from "@latchkey/core/types"

/** A mail with a sign-in link, as it would have been sent. */
export interface Message {
  /** The normalised address. */
  readonly to: string
  /** The link. */
  readonly url: string
  /** The secret in the link. */
  readonly token: string
  readonly expires: Date
  /** Id of the provider that sent it. */
  readonly provider: string
}

/** A mail server and all its inboxes in one. */
export interface Mailbox {
  /** Plugs into an email provider. */
  readonly sendVerificationRequest: EmailConfig["sendVerificationRequest"]
  /** Everything that arrived, in order. */
  readonly messages: readonly Message[]
  /** @throws Error when nothing arrived. */
  lastLink(): string
  /** @throws Error when nothing arrived at this address. */
  lastLinkTo(address: string): string
  /** The next mail is not taken, as if the server was down. */
  refuseNext(error?: Error): void
  clear(): void
}

export function createMailbox(): Mailbox {
  const messages: Message[] = []
  const refusals: Error[] = []

  function getLink(found: Message | undefined, where: string): string {
    if (!found) throw new Error(`No mail arrived${where}; ${messages.length} are there`)
    return found.url
  }

  return {
    messages,
    async sendVerificationRequest({ identifier, url, token, expires, provider }) {
      const refusal = refusals.shift()
      if (refusal) throw refusal
      messages.push({ to: identifier, url, token, expires, provider: provider.id })
    },
    lastLink: () => getLink(messages.at(-1), ""),
    lastLinkTo: (address) =>
      getLink(
        messages.findLast(({ to }) => to === address),
        ` at ${address}`,
      ),
    refuseNext: (error = new Error("The mail server is down")) => void refusals.push(error),
    clear: () => void messages.splice(0),
  }
}

/**
 * An email provider for tests, with the id `email`. What it sends arrives in the mailbox of the {@link testHost} that
 * it is given to.
 * @example testHost({ providers: [testEmail({ maxAge: 600 })] })
 */
export function testEmail(overrides: EmailUserConfig = {}): EmailConfig {
  return {
    id: "email",
    name: "Email",
    type: "email",
    from: "no-reply@app.test",
    sendVerificationRequest: refuseToSend,
    ...overrides,
  }
}

/** The same provider with its mail going to a mailbox, unless it has a sender of its own. */
export function plugIn(provider: EmailConfig, { sendVerificationRequest }: Mailbox): EmailConfig {
  return provider.sendVerificationRequest === refuseToSend ? { ...provider, sendVerificationRequest } : provider
}

function refuseToSend(): never {
  throw new Error(
    "testEmail needs a mailbox: pass { sendVerificationRequest: mailbox.sendVerificationRequest }, or use testHost",
  )
}
