import type { FailureFacts, FailureReason } from "@latchkey/core/diagnosis"
import type { CredentialsConfig, OIDCUserConfig } from "@latchkey/core/types"
import { type Browser, type FaultName, fixedClock, type TestHost, type TestHostOptions } from "@latchkey/testkit"

/** Opens an app. */
export type Open = (options?: TestHostOptions) => TestHost

/** How a reason comes about in an app. */
export interface Cause {
  /** Causes it as a visitor, a provider or a mistake of the app does. The last failure of the app is the one. */
  readonly cause: (open: Open) => Promise<TestHost>
  /** Facts that the log must have. */
  readonly facts?: FailureFacts
  /** Whether only sessions without a database fail so. Default: false. */
  readonly isOfTokens?: boolean
}

/** The form of the password sign-in. */
export const right = { u: "v", p: "the-only-right-password" }

/** Signs in user V with the given password. */
export const passwords: CredentialsConfig = {
  id: "cred",
  name: "Password",
  type: "credentials",
  credentials: { u: {}, p: { type: "password" } },
  authorize: ({ u, p }) => (u === "v" && p === right.p ? { id: "u-v", name: "V", email: "v@corp.test" } : null),
}

/** Posts a form with the browser's cookies and its CSRF token. */
export async function post(
  browser: Browser,
  path: string,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const csrfToken = await browser.csrfToken()
  return browser.fetch(path, { method: "POST", body: new URLSearchParams({ csrfToken, ...fields }), headers })
}

/** The cookies of a browser as a header. */
const cookiesOf = ({ cookies }: Browser): string =>
  cookies
    .list()
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ")

/** Sends a request with these cookies alone, such as to another process of the app. */
const send = (host: TestHost, url: string | URL, cookie: string): Promise<Response> =>
  host.handler(new Request(new URL(url, "https://app.test"), { headers: { cookie } }))

/** Begins a sign-in and signs in at the provider. @returns the address that the provider sends the visitor back to */
async function goThere({ idp, browser }: TestHost): Promise<URL> {
  const begun = await post(browser, "/auth/signin/oidc", { callbackUrl: "/in" })
  const sent = await idp.handler(new Request(begun.headers.get("location") ?? ""))
  return new URL(sent.headers.get("location") ?? "")
}

/** A sign-in at a provider with a fault. */
export const fault =
  (name: FaultName, provider: OIDCUserConfig = {}) =>
  async (open: Open): Promise<TestHost> => {
    const host = open({ providers: ({ idp }) => [idp.provider(provider)] })
    const begun = await post(host.browser, "/auth/signin/oidc", { callbackUrl: "/in" })
    host.idp.faults.turnOn(name)
    const sent = await host.idp.handler(new Request(begun.headers.get("location") ?? ""))
    await host.browser.fetch(sent.headers.get("location") ?? "")
    return host
  }

/** A callback after something was done to it, or to the browser. */
const returning =
  (change: (back: URL, host: TestHost) => unknown, options: TestHostOptions = {}) =>
  async (open: Open): Promise<TestHost> => {
    const host = open(options)
    const back = await goThere(host)
    await change(back, host)
    await host.browser.fetch(back)
    return host
  }

/** A callback with an error of the provider. */
export const answering = (error: string): Cause["cause"] =>
  returning(({ searchParams }) => {
    searchParams.delete("code")
    searchParams.set("error", error)
  })

/** A callback that comes back to another process of the app, with the cookies of the browser. */
async function returnTo(open: Open, change: (host: TestHost) => TestHostOptions = () => ({})): Promise<TestHost> {
  const host = open()
  const back = await goThere(host)
  const other = open({ idp: host.idp, ...change(host) })
  await send(other, back, cookiesOf(host.browser))
  return other
}

/** Signs in by password. @returns the app and the session cookies */
async function signedIn(open: Open, options: TestHostOptions = {}) {
  const host = open({ providers: [passwords], ...options })
  await post(host.browser, "/auth/callback/cred", right)
  return { host, cookie: cookiesOf(host.browser) }
}

const checks = /state|nonce|pkce/

type FlowReason = Extract<
  FailureReason,
  `${"flow" | "state" | "form" | "session"}-${string}` | "pkce-missing" | "nonce-wrong"
>

/** Failures of flows, forms and sessions. */
export const flowFailures: Readonly<Record<FlowReason, Cause>> = {
  "flow-other-host": {
    async cause(open) {
      const host = open({ allowedOrigins: ["https://app.test", "https://www.app.test"] })
      const back = await goThere(host)
      await send(host, back.href.replace("app.test", "www.app.test"), "")
      return host
    },
    facts: { ageSeconds: 0, otherFlows: 0, from: "https://app.test", host: "www.app.test" },
  },
  "flow-expired": {
    async cause(open) {
      using clock = fixedClock()
      const host = open()
      const back = await goThere(host)
      clock.advance({ minutes: 16 })
      await host.browser.fetch(back)
      return host
    },
    facts: { ageSeconds: 960, allowedSeconds: 900 },
  },
  "flow-replaced": {
    cause: returning(async (_, host) => {
      for (let n = 0; n < 5; n++) await goThere(host)
    }),
    facts: { otherFlows: 5 },
  },
  "flow-completed": {
    cause: returning(async (back, { browser }) => {
      await browser.open(back)
      await browser.signOut()
    }),
  },
  "flow-cookies-missing": {
    cause: returning((_, { browser }) => browser.cookies.clear()),
    facts: { ageSeconds: 0, otherFlows: 0 },
  },
  "flow-other-browser": {
    async cause(open) {
      const host = open()
      const back = await goThere(host)
      const thief = host.newBrowser()
      for (const { name, value } of host.browser.cookies.list()) if (checks.test(name)) thief.cookies.set(name, value)
      await thief.fetch(back)
      return host
    },
  },
  "flow-other-client": {
    cause: (open) =>
      returnTo(open, ({ config: { secret } }) => ({
        ...(secret !== undefined && { secret }),
        providers: ({ idp }) => [idp.provider({ clientId: "another" })],
      })),
  },
  "state-missing": { cause: fault("state-missing") },
  "state-repeated": { cause: fault("state-duplicated") },
  "state-altered": { cause: fault("state-changed") },
  "state-other-secret": { cause: (open) => returnTo(open) },
  "pkce-missing": {
    cause: returning((_, { browser }) => {
      for (const { name } of browser.cookies.list()) if (name.includes("pkce")) browser.cookies.delete(name)
    }),
  },
  "nonce-wrong": { cause: fault("id-token-nonce-wrong") },
  "form-token-missing": {
    async cause(open) {
      const host = open()
      await host.browser.fetch("/auth/signin/oidc", { method: "POST", body: new URLSearchParams() })
      return host
    },
  },
  "form-token-foreign": {
    async cause(open) {
      const host = open()
      const csrfToken = await host.newBrowser().csrfToken()
      await post(host.browser, "/auth/signin/oidc", { csrfToken })
      return host
    },
  },
  "form-other-origin": {
    async cause(open) {
      const host = open()
      await post(host.browser, "/auth/signin/oidc", {}, { origin: "https://evil.test" })
      return host
    },
    facts: { from: "https://evil.test", host: "app.test" },
  },
  "session-other-secret": {
    isOfTokens: true,
    async cause(open) {
      const { cookie } = await signedIn(open)
      const other = open({ providers: [passwords] })
      await send(other, "/auth/session", cookie)
      return other
    },
  },
  "session-altered": {
    isOfTokens: true,
    async cause(open) {
      const { host, cookie } = await signedIn(open)
      await send(host, "/auth/session", cookie.replace(/(session-token=.{150})./, "$1!"))
      return host
    },
  },
  "session-expired": {
    isOfTokens: true,
    async cause(open) {
      using clock = fixedClock()
      const { host, cookie } = await signedIn(open)
      clock.advance({ days: 31 })
      await send(host, "/auth/session", cookie)
      return host
    },
  },
  "session-too-large": {
    isOfTokens: true,
    async cause(open) {
      const large = "a".repeat(100_000)
      return (await signedIn(open, { callbacks: { jwt: ({ token }) => ({ ...token, large }) } })).host
    },
  },
}
