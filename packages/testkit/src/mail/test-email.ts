import type { EmailConfig, EmailUserConfig } from "@latchkey/core/types"
import type { Mailbox } from "./mailbox.js"

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
