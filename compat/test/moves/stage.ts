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

/** A host whose adapter is exchanged while its visitors keep their browsers open. */
export interface Stage {
  /** As it is configured now. */
  host(): TestHost
  /** The same host with another adapter: what a deployment does. */
  deploy(adapter: Adapter): void
  newBrowser(): Browser
  /** Who stands at the first provider's door. */
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
