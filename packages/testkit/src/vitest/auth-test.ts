import { type TestAPI, test } from "vitest"
import { type Browser, createBrowser } from "../browser/browser.js"
import type { Handler } from "../browser/navigation.js"
import { type FakeIdentityProvider, fakeIdentityProvider } from "../identity-provider/identity-provider.js"
import { createMailbox, type Mailbox } from "../mail/mailbox.js"

/** What an app gets for one test. */
export interface Surroundings {
  /** For `providers: [idp.provider()]`. */
  readonly idp: FakeIdentityProvider
  /** For `testEmail({ sendVerificationRequest: mailbox.sendVerificationRequest })`. */
  readonly mailbox: Mailbox
}

/** The app of one test. */
export interface AppUnderTest {
  /** The whole app, such as `app.fetch` of Hono, or `overHttp` for an app that listens on a port. */
  readonly handler: Handler
  /** Default: `https://app.test`. */
  readonly origin?: string | undefined
  /** Path under which the app mounts Latchkey. Default: `/auth`. */
  readonly basePath?: string | undefined
  /** Called after the test. */
  close?: (() => void | Promise<void>) | undefined
}

/** The fixtures of one test. */
export interface AuthFixtures extends Surroundings {
  readonly app: AppUnderTest
  /** A browser that has no cookies yet. */
  readonly browser: Browser
  /** Opens another browser, for another user. */
  readonly newBrowser: () => Browser
}

/**
 * Creates a `test` of Vitest with a new app, a new browser, an identity provider and a mailbox for each test.
 * @param open Creates the app of one test.
 * @example
 * const test = authTest(({ idp }) => ({ handler: createApp({ providers: [idp.provider()] }).fetch }))
 * test("greets the user", async ({ browser }) => {
 *   expect((await browser.signIn("oidc")).text()).toContain("Ada Lovelace")
 * })
 */
export function authTest(
  open: (surroundings: Surroundings) => AppUnderTest | Promise<AppUnderTest>,
): TestAPI<AuthFixtures> {
  // Vitest reads from the braces of each function which other fixtures it needs.
  return test.extend<AuthFixtures>({
    idp: async ({ task: _ }, use) => use(fakeIdentityProvider()),
    mailbox: async ({ task: _ }, use) => use(createMailbox()),
    app: async ({ idp, mailbox }, use) => {
      const app = await open({ idp, mailbox })
      await use(app)
      await app.close?.()
    },
    newBrowser: async ({ app, idp }, use) =>
      use(() => createBrowser({ ...app, network: { [idp.origin]: idp.handler } })),
    browser: async ({ newBrowser }, use) => use(newBrowser()),
  })
}
