import type { FailureRecord } from "@latchkey/core/types"
import type { FaultName, TestHost } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { away, openLogged, recordsOf, right, summaryOf, uuid } from "../setup/log-setup.js"
import { openPasskeys } from "../setup/passkey-setup.js"
import { ask, get, post } from "../setup/requests.js"
import { sessionCookie } from "../setup/sign-ins.js"

interface Refused {
  readonly kind: FailureRecord["kind"]
  readonly reason?: FailureRecord["reason"]
  /** The provider ID of a record. */
  readonly provider?: string
  readonly user?: string
  readonly options?: Parameters<typeof openLogged>[1]
  act(host: TestHost): Promise<unknown>
}

const fault = (name: FaultName) => async (host: TestHost) => {
  const { location } = await post(host.browser, "/auth/signin/oidc")
  host.idp.faults.turnOn(name)
  const back = await host.idp.handler(new Request(location ?? ""))
  await get(host.browser, back.headers.get("location") ?? "")
}

const signInByPassword =
  (fields = right) =>
  ({ browser }: TestHost) =>
    post(browser, "/auth/callback/cred", fields)

/** A failure of each kind. The first request that fails is the last one. */
const refused: Readonly<Record<string, Refused>> = {
  "a form without a token": {
    kind: "csrf",
    reason: "form-token-missing",
    provider: "oidc",
    act: (host) => ask(host, "/auth/signin/oidc", { form: {} }),
  },
  "a form of another site": {
    kind: "csrf",
    reason: "form-other-origin",
    provider: "cred",
    act: async ({ browser }) =>
      post(browser, "/auth/callback/cred", right, { headers: { origin: "https://evil.test" } }),
  },
  "a response without a flow": {
    kind: "check",
    reason: "state-altered",
    provider: "oidc",
    act: (host) => ask(host, "/auth/callback/oidc?code=c0de-of-nobody&state=state-of-nobody"),
  },
  "a foreign host": {
    kind: "host",
    reason: "host-not-listed",
    options: { allowedOrigins: ["https://other.test"] },
    act: (host) => ask(host, "/auth/session"),
  },
  "an untrusted host": {
    kind: "host",
    reason: "host-untrusted",
    options: { trustHost: false },
    act: (host) => ask(host, "/auth/session"),
  },
  "an address that is none": { kind: "url", act: (host) => ask(host, "/auth/signin?callbackUrl=javascript:alert(1)") },
  "a body that is none": {
    kind: "input",
    provider: "cred",
    act: (host) => ask(host, "/auth/callback/cred", { json: [] }),
  },
  "an action that is none": { kind: "input", act: (host) => ask(host, "/auth/unheard-of") },
  "a mistake in the configuration": {
    kind: "config",
    options: { session: { maxAge: -1 } },
    act: (host) => ask(host, "/auth/session"),
  },
  "a redirect policy that fails": {
    kind: "config",
    reason: "callback-threw",
    options: { callbacks: { redirect: away } },
    act: (host) => get(host.browser, "/auth/signin?callbackUrl=/x"),
  },
  "a provider that is none": { kind: "provider", act: (host) => ask(host, "/auth/callback/hunter2hunter2") },
  "a provider that fails": { kind: "provider", reason: "code-rejected", provider: "oidc", act: fault("token-error") },
  "a provider that says no": {
    kind: "provider",
    reason: "denied-by-user",
    provider: "oidc",
    act: fault("access-denied"),
  },
  "a token with a wrong signature": {
    kind: "token",
    reason: "token-signature",
    provider: "oidc",
    act: fault("id-token-signature-changed"),
  },
  "a token that has expired": {
    kind: "token",
    reason: "token-clock",
    provider: "oidc",
    act: fault("id-token-expired"),
  },
  "a token for another client": {
    kind: "token",
    reason: "token-audience",
    provider: "oidc",
    act: fault("id-token-aud-wrong"),
  },
  "an adapter that fails during a sign-in": {
    kind: "adapter",
    reason: "adapter-failed",
    options: { adapter: { getUserByAccount: away } },
    provider: "oidc",
    act: async (host) => {
      await host.browser.signIn("oidc")
    },
  },
  "a link that was used": {
    kind: "verification",
    reason: "link-spent",
    provider: "email",
    act: async ({ browser, mailbox }) => {
      await browser.signIn("email", { email: "grace@corp.test" })
      const [link, other] = [mailbox.lastLink(), browser.newTab()]
      await other.fetch(link)
      browser.cookies.delete("__Host-authjs.completed")
      await other.fetch(link)
    },
  },
  "an account with the address of another user": {
    kind: "linking",
    reason: "account-of-another-user",
    provider: "other",
    act: async (host) => {
      await host.newBrowser().signIn("oidc")
      await host.newBrowser().signIn("other")
    },
  },
  "a wrong password": { kind: "credentials", provider: "cred", act: signInByPassword({ u: "v", p: "wrong" }) },
  "a person whom the host does not let in": {
    kind: "permission",
    reason: "sign-in-callback-refused",
    provider: "cred",
    user: "u-v",
    options: { callbacks: { signIn: () => false } },
    act: signInByPassword(),
  },
  "a password too many": {
    kind: "rate-limit",
    reason: "rate-limited",
    provider: "cred",
    options: { rateLimit: { budgets: { callback: { limit: 1, windowSeconds: 60 } } } },
    act: async (host) => {
      const browser = host.newBrowser({ clientAddress: "203.0.113.7" })
      await post(browser, "/auth/callback/cred", right)
      await post(browser, "/auth/callback/cred", right)
    },
  },
  "a mail too many, which is answered as ever": {
    kind: "rate-limit",
    reason: "rate-limited",
    provider: "email",
    options: { rateLimit: { budgets: { mailRepeats: { limit: 1, windowSeconds: 60 } } } },
    act: async ({ browser }) => {
      await post(browser, "/auth/signin/email", { email: "grace@corp.test" })
      await post(browser, "/auth/signin/email", { email: "grace@corp.test" })
    },
  },
  "an address that is no mailbox": {
    kind: "input",
    provider: "email",
    act: ({ browser }) => post(browser, "/auth/signin/email", { email: "a@b@c" }),
  },
  "a mail that cannot be sent": {
    kind: "provider",
    reason: "mail-rejected",
    provider: "email",
    act: async ({ browser, mailbox }) => {
      mailbox.refuseNext()
      await post(browser, "/auth/signin/email", { email: "grace@corp.test" })
    },
  },
  "a handler of the host that fails": {
    kind: "event",
    reason: "callback-threw",
    provider: "cred",
    options: { events: { signIn: away } },
    act: signInByPassword(),
  },
  "a session that cannot be written": {
    kind: "service",
    options: { callbacks: { session: ({ session }) => ({ ...session, expires: 1n as never }) } },
    act: async ({ browser }) => {
      await post(browser, "/auth/callback/cred", right)
      await get(browser, "/auth/session")
    },
  },
}

describe.each(["jwt", "database"] as const)("the audit log of rejected requests, with %s sessions", (strategy) => {
  it.each(Object.entries(refused))(
    "LOG-01: has exactly one record of %s",
    async (_, { kind, reason, provider, user, ...given }) => {
      const { host } = await openLogged(strategy, given.options)
      await given.act(host)
      const failures = host.logger.records.filter(({ outcome }) => outcome === "failure")
      expect(failures).toHaveLength(1)
      // as: a failure, without its time and request.
      const [{ facts, ...shown } = {}] = failures.map(summaryOf) as Partial<FailureRecord>[]
      for (const fact of Object.values(facts ?? {})) expect(["string", "number", "boolean"]).toContain(typeof fact)
      expect(shown).toEqual({
        outcome: "failure",
        kind,
        error: expect.stringMatching(/^[A-Z]\w+$/),
        reference: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{2}$/),
        ...(provider !== undefined && { providerId: provider }),
        ...(user !== undefined && { userId: user }),
        ...(reason !== undefined && { reason }),
      })
      expect(failures[0]?.requestId).toMatch(uuid)
    },
  )

  it("LOG-01: has no text of a visitor who writes an error into the callback", async () => {
    const { host } = await openLogged(strategy)
    const { location } = await post(host.browser, "/auth/signin/oidc")
    const state = new URL(location ?? "").searchParams.get("state") ?? ""
    await get(host.browser, `/auth/callback/oidc?error=hunter2&iss=${host.idp.issuer}&state=${state}`)
    const failures = host.logger.records.filter(({ outcome }) => outcome === "failure")
    expect(failures).toMatchObject([{ error: "OAuthCallbackError", reason: "denied-by-provider" }])
    expect(JSON.stringify(failures)).not.toContain("hunter2")
  })

  it("LOG-01: records a session that cannot be read", async () => {
    const { host } = await openLogged(strategy, { adapter: { getSessionAndUser: away } })
    const cookie = `${sessionCookie}=${"a".repeat(64)}`
    const records = await recordsOf(host, () => ask(host, "/auth/session", { cookie }))
    expect(records).toMatchObject([{ outcome: "failure", kind: strategy === "jwt" ? "session" : "adapter" }])
  })

  it("LOG-01: records a session that cannot be ended", async () => {
    const { host } = await openLogged(strategy, { adapter: { deleteSession: away } })
    await host.browser.signIn("cred", right)
    if (strategy === "jwt") host.browser.cookies.set(sessionCookie, "a".repeat(64))
    const records = await recordsOf(host, () => post(host.browser, "/auth/signout"))
    expect(records).toMatchObject([
      { outcome: "failure", kind: strategy === "jwt" ? "session" : "adapter", error: "SignOutError" },
    ])
  })

  it("LOG-01: records an invalid passkey", async () => {
    const { host, visitor } = openPasskeys({ strategy })
    const { register, signIn, browser } = visitor()
    await register("grace@corp.test")
    await browser.signOut()
    const records = await recordsOf(host, () => signIn({ clientData: { origin: "https://evil.test" } }))
    expect(records).toMatchObject([{ outcome: "failure", kind: "webauthn", providerId: "passkey" }])
  })
})
