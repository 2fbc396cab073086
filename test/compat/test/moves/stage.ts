import type { Adapter } from "@latchkey/core/adapters"
import Passkey from "@latchkey/core/providers/passkey"
import {
  type Browser,
  createBrowser,
  createMailbox,
  fakeIdentityProvider,
  type Person,
  type TestHost,
  testEmail,
  testHost,
} from "@latchkey/testkit"

const secret = "an old secret of the host, kept through the move: 0123456789abcdef"
const origin = "https://app.test"

/** An app whose adapter is replaced while visitors keep their browsers open. */
export interface Stage {
  /** The current configuration. */
  host(): TestHost
  /** Replaces the adapter, as a deployment does. */
  deploy(adapter: Adapter): void
  newBrowser(): Browser
  /** Sets the user that the first provider signs in. */
  signInAs(person: Person): void
  lastLink(): string
}

export function openStage(adapter: Adapter, { hasPasskeys }: { hasPasskeys: boolean }): Stage {
  const idp = fakeIdentityProvider()
  const other = fakeIdentityProvider({
    issuer: "https://idp2.test",
    person: { sub: "elsewhere", email: "a@else.test" },
  })
  const mailbox = createMailbox()
  const open = (own: Adapter) =>
    testHost({
      adapter: own,
      secret,
      idp,
      session: { strategy: "database" },
      rateLimit: false,
      network: { [other.origin]: other.handler },
      experimental: { enableWebAuthn: hasPasskeys },
      providers: [
        idp.provider(),
        other.provider({ id: "other" }),
        testEmail({ sendVerificationRequest: mailbox.sendVerificationRequest }),
        ...(hasPasskeys ? [Passkey()] : []),
      ],
    })
  const state = { host: open(adapter) }
  return {
    host: () => state.host,
    deploy(own) {
      state.host = open(own)
    },
    newBrowser: () =>
      createBrowser({
        handler: (request) => state.host.handler(request),
        origin,
        network: { [idp.origin]: idp.handler, [other.origin]: other.handler },
      }),
    signInAs: idp.signInAs,
    lastLink: mailbox.lastLink,
  }
}
