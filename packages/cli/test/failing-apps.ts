import { customFetch } from "@latchkey/core"
import { accessTokens, getAccessToken } from "@latchkey/core/access-tokens"
import type { FailureReason } from "@latchkey/core/diagnosis"
import { providerLogout } from "@latchkey/core/provider-logout"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import {
  authenticatorApp,
  fakeIdentityProvider,
  fixedClock,
  type Misbehavior,
  memoryAdapter,
  passkeyClient,
  type Span,
  softwareAuthenticator,
  type TestHost,
  type TestHostOptions,
  testEmail,
} from "@latchkey/testkit"
import { answering, type Cause, fault, type Open, passwords, post, right } from "./failing-flows.js"

const email = "grace@corp.test"
const away = () => Promise.reject(new Error("connect ECONNREFUSED"))

/** A password sign-in in an app with these options. */
const byPassword =
  (options: TestHostOptions = {}, fields: Readonly<Record<string, string>> = right) =>
  async (open: Open): Promise<TestHost> => {
    const host = open({ providers: [passwords], ...options })
    await post(host.browser, "/auth/callback/cred", fields)
    return host
  }

/** A request in an app with these options. */
const requesting =
  (path: string, options: TestHostOptions = {}) =>
  async (open: Open): Promise<TestHost> => {
    const host = open(options)
    await host.browser.fetch(path)
    return host
  }

/** The token endpoint answers with an error. */
const refusing =
  (error: string, status = 400) =>
  async (open: Open): Promise<TestHost> => {
    const host = open()
    const answer = () => Response.json({ error }, { status })
    host.idp.faults.turnOn({ response: (sent, { endpoint }) => (endpoint === "token" ? answer() : sent) })
    await host.browser.signIn("oidc")
    return host
  }

/** An app that mails links with codes, and has mailed one. */
async function mailed(open: Open, error?: Error): Promise<TestHost> {
  const host = open({ providers: [testEmail({ code: true })] })
  if (error) host.mailbox.refuseNext(error)
  await post(host.browser, "/auth/signin/email", { email })
  return host
}

/** Presses the button on the page behind the link, in another browser. */
async function press(host: TestHost): Promise<void> {
  const { pathname, searchParams } = new URL(host.mailbox.lastLink())
  await post(host.newBrowser(), pathname, Object.fromEntries(searchParams))
}

/** A sign-in with a passkey that deviates. */
const byPasskey =
  (misbehavior: Misbehavior) =>
  async (open: Open): Promise<TestHost> => {
    const host = open({ providers: [Passkey()] })
    const client = passkeyClient({ browser: host.browser, device: softwareAuthenticator() })
    await client.register(email)
    await client.signIn({ counter: 7 })
    await client.signIn(misbehavior)
    return host
  }

/** An app whose user has signed in, and set up an authenticator app. */
async function enrolled(open: Open) {
  const adapter = memoryAdapter()
  const user = await adapter.createUser({ id: "u-v", name: "V", email: "v@corp.test", emailVerified: null })
  const host = open({
    adapter,
    providers: [{ ...passwords, authorize: () => user }],
    secondFactors: secondFactors({ factors: [totp()] }),
  })
  const { browser } = host
  const change = (fields: Readonly<Record<string, string>>) => post(browser, "/auth/account/factors", fields)
  await post(browser, "/auth/callback/cred", right)
  const { ticket, secret } = await (await change({ action: "begin-totp" })).json()
  await change({ action: "confirm-totp", ticket, code: await authenticatorApp(secret).code() })
  return { host, change }
}

/** The same, and the next sign-in waits for a wrong code. */
const giving =
  (wait?: Span) =>
  async (open: Open): Promise<TestHost> => {
    using clock = fixedClock()
    const { host } = await enrolled(open)
    host.browser.cookies.clear()
    await post(host.browser, "/auth/callback/cred", right)
    if (wait) clock.advance(wait)
    await post(host.browser, "/auth/second-factor/totp", { code: "000000" })
    return host
  }

type FlowReason = keyof typeof import("./failing-flows.js").flowFailures

/** Failures of providers, mails, passkeys, the store, and the app. */
export const appFailures: Readonly<Record<Exclude<FailureReason, FlowReason>, Cause>> = {
  "denied-by-user": { cause: fault("access-denied"), facts: { error: "access_denied" } },
  "denied-by-provider": { cause: answering("temporarily_unavailable"), facts: { error: "temporarily_unavailable" } },
  "client-rejected": {
    async cause(open) {
      const host = open({ providers: ({ idp }) => [idp.provider({ clientSecret: "of-another-app" })] })
      await host.browser.signIn("oidc")
      return host
    },
    facts: { endpoint: "token", status: 401, error: "invalid_client" },
  },
  "code-rejected": { cause: fault("token-error"), facts: { endpoint: "token", status: 400, error: "invalid_grant" } },
  "redirect-uri-rejected": {
    cause: refusing("redirect_uri_mismatch"),
    facts: { endpoint: "token", status: 400, error: "redirect_uri_mismatch" },
  },
  "scope-rejected": { cause: answering("invalid_scope"), facts: { error: "invalid_scope" } },
  "token-clock": { cause: fault("id-token-expired") },
  "token-audience": { cause: fault("id-token-aud-wrong") },
  "token-issuer": { cause: fault("id-token-iss-wrong") },
  "token-signature": { cause: fault("id-token-signature-changed") },
  "provider-unreachable": {
    async cause(open) {
      const idp = fakeIdentityProvider()
      const fetchOf: typeof fetch = (input, init) =>
        String(input).includes("/token") ? Promise.reject(new TypeError("fetch failed")) : idp.fetch(input, init)
      const host = open({ idp, providers: [idp.provider({ [customFetch]: fetchOf })] })
      await host.browser.signIn("oidc")
      return host
    },
    facts: { endpoint: "token" },
  },
  "provider-answer": { cause: refusing("server_error", 500), facts: { endpoint: "token", status: 500 } },
  "profile-invalid": {
    async cause(open) {
      const profile = () => {
        throw new Error("of the app")
      }
      const host = open({ providers: ({ idp }) => [idp.provider({ profile })] })
      await host.browser.signIn("oidc")
      return host
    },
  },
  "link-spent": {
    async cause(open) {
      const host = await mailed(open)
      for (let n = 0; n < 2; n++) await press(host)
      return host
    },
  },
  "link-expired": {
    async cause(open) {
      using clock = fixedClock()
      const host = await mailed(open)
      clock.advance({ days: 2 })
      await press(host)
      return host
    },
  },
  "link-replaced": {
    async cause(open) {
      const host = await mailed(open)
      host.browser.cookies.clear()
      await post(host.browser, "/auth/callback/email", { code: host.mailbox.lastCode() })
      return host
    },
  },
  "code-guesses": {
    async cause(open) {
      const host = await mailed(open)
      const code = host.mailbox.lastCode() === "123456" ? "654321" : "123456"
      await post(host.browser, "/auth/callback/email", { code })
      return host
    },
    facts: { guess: 1, allowed: 5 },
  },
  "account-of-another-user": {
    async cause(open) {
      const other = fakeIdentityProvider({ issuer: "https://idp2.test" })
      const host = open({
        adapter: memoryAdapter(),
        network: { [other.origin]: other.handler },
        providers: ({ idp }) => [idp.provider(), other.oauthProvider({ id: "other" })],
      })
      await host.browser.signIn("oidc")
      await host.newBrowser().signIn("other")
      return host
    },
  },
  "address-unverified": {
    async cause(open) {
      const host = open({ providers: ({ idp }) => [idp.provider(), testEmail()] })
      host.idp.signInAs({ sub: "attacker", name: "Mallory", email })
      await host.newBrowser().signIn("oidc")
      await host.browser.signIn("email", { email })
      await host.browser.open(host.mailbox.lastLink())
      return host
    },
  },
  "sign-in-callback-refused": { cause: byPassword({ callbacks: { signIn: () => false } }) },
  "host-untrusted": { cause: requesting("/auth/session", { trustHost: false }) },
  "host-not-listed": {
    cause: requesting("/auth/session", { allowedOrigins: ["https://other.test"] }),
    facts: { host: "app.test" },
  },
  "rate-limited": {
    async cause(open) {
      const budgets = { callback: { limit: 1, windowSeconds: 60 } }
      const host = open({ providers: [passwords], rateLimit: { budgets } })
      const browser = host.newBrowser({ clientAddress: "203.0.113.7" })
      for (let n = 0; n < 2; n++) await post(browser, "/auth/callback/cred", right)
      return host
    },
  },
  "passkey-handle": { cause: byPasskey({ userHandle: "AAAA", counter: 8 }) },
  "passkey-origin": { cause: byPasskey({ clientData: { origin: "https://app.test.evil.test" }, counter: 8 }) },
  "passkey-counter": { cause: byPasskey({ counter: 3 }) },
  "adapter-failed": {
    async cause(open) {
      const host = open({ adapter: { ...memoryAdapter(), getUserByAccount: away } })
      await host.browser.signIn("oidc")
      return host
    },
  },
  "callback-threw": { cause: byPassword({ events: { signIn: away } }) },
  "mail-rejected": {
    cause: (open) => mailed(open, Object.assign(new Error("550 no"), { responseCode: 550 })),
    facts: { status: 550 },
  },
  "mail-unreachable": { cause: (open) => mailed(open, Object.assign(new Error("refused"), { code: "ECONNREFUSED" })) },
  "access-refused": {
    async cause(open) {
      const track = trackSessions({ maxPerUser: { count: 1, over: "refuse" } })
      const host = open({ adapter: memoryAdapter(), session: { track } })
      await host.browser.signIn("oidc")
      await host.newBrowser().signIn("oidc")
      return host
    },
  },
  "access-token-unavailable": {
    async cause(open) {
      const host = open({ adapter: memoryAdapter(), accessTokens: accessTokens() })
      // The app catches it, and logs it.
      const asked = getAccessToken(new Request("https://app.test/"), host.config, { provider: "oidc" })
      await asked.catch((error) => host.logger.error(error))
      return host
    },
  },
  "address-invalid": {
    async cause(open) {
      const host = open({ providers: [testEmail()] })
      await post(host.browser, "/auth/signin/email", { email: "a@b@c" })
      return host
    },
  },
  "config-invalid": { cause: requesting("/auth/session", { session: { maxAge: -1 } }) },
  "credentials-wrong": { cause: byPassword({}, { u: "v", p: "wrong" }) },
  "input-refused": {
    async cause(open) {
      const host = open({
        adapter: memoryAdapter(),
        providers: [Passwords({ mail: { send: () => {} }, breached: false })],
      })
      await post(host.browser, "/auth/password/sign-up", { email, password: "short" })
      return host
    },
  },
  "logout-token-invalid": {
    async cause(open) {
      const host = open({
        adapter: memoryAdapter(),
        session: { track: trackSessions() },
        providerLogout: providerLogout({ backchannel: true }),
      })
      const body = new URLSearchParams({ logout_token: "of.no.one" })
      await host.handler(new Request("https://app.test/auth/backchannel-logout/oidc", { method: "POST", body }))
      return host
    },
  },
  "passkey-invalid": { cause: byPasskey({ signature: () => new Uint8Array(64).fill(9), counter: 8 }) },
  "provider-unknown": { cause: requesting("/auth/callback/of-nobody") },
  "reauthentication-needed": {
    async cause(open) {
      using clock = fixedClock()
      const { host, change } = await enrolled(open)
      clock.advance({ hours: 1 })
      await change({ action: "begin-totp" })
      return host
    },
  },
  "request-invalid": { cause: requesting("/auth/unheard-of") },
  "second-factor-wrong": { cause: giving() },
  "second-step-expired": { cause: giving({ minutes: 20 }) },
  unexpected: {
    async cause(open) {
      const session = () => ({ expires: 1n }) as never
      const host = await byPassword({ callbacks: { session } })(open)
      await host.browser.fetch("/auth/session")
      return host
    },
  },
}
