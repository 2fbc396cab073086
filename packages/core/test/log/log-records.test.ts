import { Auth, raw } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import type { FailureRecord, LogRecord } from "@latchkey/core/types"
import {
  ada,
  type FaultName,
  fakeIdentityProvider,
  memoryAdapter,
  type TestHost,
  type TestHostOptions,
  testEmail,
} from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { openPasskeys } from "../setup/passkey-setup.js"
import { ask, get, post, requestTo } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

type Strategy = "jwt" | "database"

const right = { u: "v", p: "right" }
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isTime = (text: string) => new Date(text).toISOString() === text
const away = () => Promise.reject(new Error("SELECT * FROM users at /srv/db"))

/** A host with every type of provider. The store has user V, who signs in with a password. */
async function open(
  strategy: Strategy,
  { adapter: override, ...options }: Omit<TestHostOptions, "adapter"> & { readonly adapter?: Adapter } = {},
) {
  const second = fakeIdentityProvider({ issuer: "https://idp2.test", person: { ...ada, sub: "another" } })
  const stored = memoryAdapter()
  await stored.createUser({ id: "u-v", name: "V", email: "v@corp.test", emailVerified: null })
  const host = openHost({
    adapter: { ...stored, ...override },
    session: { strategy },
    network: { [second.origin]: second.handler },
    providers: ({ idp }) => [idp.provider(), second.oauthProvider({ id: "other" }), testEmail(), passwordProvider()],
    ...options,
  })
  return { host, stored }
}

/** A record without its time and request. */
const summaryOf = ({ time, requestId, ...rest }: LogRecord) => {
  expect([isTime(time), requestId.length > 0]).toEqual([true, true])
  return rest
}

/** The records of one request. */
async function recordsOf({ logger }: TestHost, work: () => Promise<unknown>): Promise<readonly object[]> {
  const before = logger.records.length
  await work()
  const fresh = logger.records.slice(before)
  expect(new Set(fresh.map(({ requestId }) => requestId)).size).toBeLessThan(2)
  return fresh.map(summaryOf)
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(["jwt", "database"] as const)("the audit log of successful requests, with %s sessions", (strategy) => {
  it("LOG-01: records a first sign-in, the new user and the linked account", async () => {
    const { host, stored } = await open(strategy)
    const records = await recordsOf(host, () => host.browser.signIn("oidc"))
    const userId = (await stored.getUserByEmail("ada@example.com"))?.id
    expect(records).toEqual([
      { outcome: "success", kind: "user-created", providerId: "oidc", userId },
      { outcome: "success", kind: "account-linked", providerId: "oidc", userId },
      { outcome: "success", kind: "sign-in", providerId: "oidc", userId },
    ])
    expect(await recordsOf(host, () => host.newBrowser().signIn("oidc"))).toEqual([
      { outcome: "success", kind: "sign-in", providerId: "oidc", userId },
    ])
  })

  it("LOG-01: records an account that the current user links", async () => {
    const { host } = await open(strategy)
    await host.browser.signIn("oidc")
    const kinds = (await recordsOf(host, () => host.browser.signIn("other"))).map((record) => ({
      ...record,
      userId: "",
    }))
    expect(kinds).toEqual([
      { outcome: "success", kind: "account-linked", providerId: "other", userId: "" },
      { outcome: "success", kind: "sign-in", providerId: "other", userId: "" },
    ])
  })

  it("LOG-01: records first and later sign-ins by email", async () => {
    const { host, stored } = await open(strategy)
    const follow = async () => {
      const browser = host.newBrowser()
      await browser.signIn("email", { email: "grace@corp.test" })
      return recordsOf(host, () => browser.open(host.mailbox.lastLink()))
    }
    const first = await follow()
    const about = {
      outcome: "success",
      providerId: "email",
      userId: (await stored.getUserByEmail("grace@corp.test"))?.id,
    }
    expect(first).toEqual([
      { ...about, kind: "user-created" },
      { ...about, kind: "sign-in" },
    ])
    expect(await follow()).toEqual([
      { ...about, kind: "user-updated" },
      { ...about, kind: "sign-in" },
    ])
  })

  it("LOG-01: records a sign-in with a password and the sign-out", async () => {
    const { host } = await open(strategy)
    expect(await recordsOf(host, () => host.browser.signIn("cred", right))).toEqual([
      { outcome: "success", kind: "sign-in", providerId: "cred", userId: "u-v" },
    ])
    expect(await recordsOf(host, () => host.browser.signOut())).toEqual([
      { outcome: "success", kind: "sign-out", userId: "u-v" },
    ])
  })

  it("LOG-01: records sign-ins with a passkey", async () => {
    const { host, visitor } = openPasskeys({ strategy })
    const { register, signIn, browser } = visitor()
    const registered = await recordsOf(host, () => register("grace@corp.test"))
    expect(registered).toMatchObject([{ kind: "user-created" }, { kind: "account-linked" }, { kind: "sign-in" }])
    expect(new Set(registered.map((record) => Reflect.get(record, "userId"))).size).toBe(1)
    await browser.signOut()
    expect(await recordsOf(host, () => signIn())).toEqual([registered[2]])
  })

  it("does not record session reads, pages or lists", async () => {
    const { host } = await open(strategy)
    await host.browser.signIn("cred", right)
    const reading = async () => {
      for (const path of ["session", "csrf", "providers", "signin", "signout", "verify-request", "error"]) {
        await get(host.browser, `/auth/${path}`)
      }
      await ask(host, "/auth/session")
    }
    expect(await recordsOf(host, reading)).toEqual([])
  })
})

interface Refused {
  readonly kind: FailureRecord["kind"]
  readonly reason?: FailureRecord["reason"]
  /** The provider ID of a record. */
  readonly provider?: string
  readonly user?: string
  readonly options?: Parameters<typeof open>[1]
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
      const { host } = await open(strategy, given.options)
      await given.act(host)
      const failures = host.logger.records.filter(({ outcome }) => outcome === "failure")
      const [{ facts, ...shown } = {}] = failures.map(summaryOf) as Omit<FailureRecord, "time" | "requestId">[]
      expect(failures).toHaveLength(1)
      expect(Object.values(facts ?? {}).every((fact) => ["string", "number", "boolean"].includes(typeof fact))).toBe(
        true,
      )
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

  it("LOG-01: records a session that cannot be read", async () => {
    const { host } = await open(strategy, { adapter: { getSessionAndUser: away } })
    const cookie = `${sessionCookie}=${"a".repeat(64)}`
    const records = await recordsOf(host, () => ask(host, "/auth/session", { cookie }))
    expect(records).toMatchObject([{ outcome: "failure", kind: strategy === "jwt" ? "session" : "adapter" }])
  })

  it("LOG-01: records a session that cannot be ended", async () => {
    const { host } = await open(strategy, { adapter: { deleteSession: away } })
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

describe("the audit log", () => {
  it("LOG-01: has the reference of the visitor's page and of the logged error", async () => {
    const { host } = await open("jwt", { callbacks: { signIn: () => false } })
    const page = await host.browser.signIn("cred", right)
    const [record] = host.logger.records
    expect(record).toMatchObject({ reference: Reflect.get(host.logger.errors[0] ?? {}, "reference") })
    expect(page.text()).toContain(Reflect.get(record ?? {}, "reference"))
  })

  it("LOG-01: has the id of the rejected user if the account is known", async () => {
    const isBanned = { now: false }
    const { host, stored } = await open("database", { callbacks: { signIn: () => !isBanned.now } })
    await host.browser.signIn("oidc")
    isBanned.now = true
    const records = await recordsOf(host, () => host.newBrowser().signIn("oidc"))
    const userId = (await stored.getUserByEmail("ada@example.com"))?.id
    expect(records).toMatchObject([{ kind: "permission", providerId: "oidc", userId }])
    host.idp.signInAs({ sub: "somebody new", email: "new@corp.test" })
    const [stranger] = await recordsOf(host, () => host.newBrowser().signIn("oidc"))
    expect(stranger).toMatchObject({ kind: "permission" })
    expect(stranger).not.toHaveProperty("userId")
  })

  it("LOG-01: has the request ID of the proxy or the app", async () => {
    const { host } = await open("jwt")
    await ask(host, "/auth/unheard-of", { headers: { "x-request-id": "from-the-proxy" } })
    await Auth(requestTo("/auth/unheard-of", { headers: { "x-request-id": "from-the-proxy" } }), host.config, {
      requestId: "from-the-app",
    })
    expect(host.logger.records.map(({ requestId }) => requestId)).toEqual(["from-the-proxy", "from-the-app"])
  })

  it.each([
    ["oidc", {}],
    ["email", { email: "v@corp.test" }],
    ["cred", right],
  ])("LOG-01: has the request of a redirect callback that fails, with the provider %s", async (id, fields) => {
    const signIn = () => "/wait"
    const { host } = await open("jwt", { callbacks: { signIn, redirect: () => Promise.reject(new Error("no")) } })
    await host.browser.signIn(id, fields)
    const failures = host.logger.records.filter((record) => record.kind === "config")
    expect(failures).not.toEqual([])
    expect(failures.filter(({ providerId }) => providerId !== id)).toEqual([])
  })

  it("LOG-01: records errors that are thrown to a framework", async () => {
    const { host } = await open("jwt")
    const thrown = Auth(requestTo("/auth/signout", { form: {} }), { ...host.config, raw })
    await expect(thrown).rejects.toMatchObject({ type: "MissingCSRF" })
    expect(host.logger.records).toMatchObject([{ kind: "csrf" }])
  })

  it("LOG-06: does not affect the reply when it fails", async () => {
    const broken = {
      error: () => Promise.reject(new Error("disk full")) as never,
      record: () => {
        throw new Error("disk full")
      },
    }
    const config = { ...(await open("database")).host.config }
    vi.spyOn(console, "error").mockImplementation(() => {})
    const browser = openHost({ ...config, providers: [passwordProvider()], logger: broken }).browser
    expect((await browser.signIn("cred", { u: "v", p: "wrong" })).url.search).toContain("error=CredentialsSignin")
    await browser.signIn("cred", right)
    expect(await browser.session()).not.toBeNull()
  })
})
