import { createHash } from "node:crypto"
import { skipCSRFCheck } from "@latchkey/core"
import { type MemoryAdapter, memoryAdapter, type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { type Answer, ask, get, post, readAnswer } from "../setup/requests.js"
import { expectQuiet, passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const cookieName = "__Host-authjs.csrf-token"
const refusal = [302, "https://app.test/auth/signin?error=MissingCSRF"]
const right = { u: "v", p: "right" }

interface Spied {
  readonly host: TestHost
  /** Expects no session, no writes and no events. */
  readonly expectNothing: () => Promise<void>
  /** Calls of the adapter since the last reset. */
  readonly calls: () => MemoryAdapter["calls"]
  readonly forget: () => void
  /** Credentials that `authorize` received. */
  readonly tried: unknown[]
  /** Triggers of the `jwt` and session callbacks. */
  readonly triggers: () => readonly unknown[]
}

async function openSpied(strategy: "jwt" | "database" = "jwt"): Promise<Spied> {
  const tried: unknown[] = []
  const triggers: unknown[] = []
  const adapter = memoryAdapter()
  const user = { id: "u-v", name: "V", email: "v@corp.test", emailVerified: null }
  await adapter.createUser(user)
  const known = { calls: adapter.calls.length, triggers: 0 }
  const authorize = (credentials: unknown) => {
    tried.push(credentials)
    return user
  }
  const host = openHost({
    adapter,
    providers: ({ idp }) => [idp.provider(), idp.oauthProvider(), testEmail(), passwordProvider({ authorize })],
    session: { strategy },
    callbacks: {
      jwt({ token, trigger }) {
        triggers.push(trigger)
        return token
      },
      session({ session, trigger }) {
        triggers.push(trigger)
        return session
      },
    },
  })
  return {
    host,
    tried,
    triggers: () => triggers.slice(known.triggers),
    calls: () => adapter.calls.slice(known.calls),
    expectNothing: () => expectQuiet(host, host.browser, { ...adapter, calls: adapter.calls.slice(known.calls) }),
    forget() {
      known.calls = adapter.calls.length
      known.triggers = triggers.length
    },
  }
}

async function send(
  { browser }: TestHost,
  path: string,
  fields: Record<string, string>,
  headers = {},
): Promise<Answer> {
  return readAnswer(await browser.fetch(path, { method: "POST", body: new URLSearchParams(fields), headers }))
}

const guarded = ["signin/oidc", "signin/oauth", "signin/email", "signin", "signout", "callback/cred"]

describe("the CSRF token", () => {
  it("is stored in a cookie with its MAC, and reused without setting it again", async () => {
    const { browser } = openHost()
    const first = await get(browser, "/auth/csrf")
    expect(first.cookies.get(cookieName)?.value).toMatch(/^[0-9a-f]{64}\|[0-9a-f]{64}$/)
    const second = await get(browser, "/auth/csrf")
    expect([second.json(), second.cookies.size]).toEqual([first.json(), 0])
    const page = await get(browser, "/auth/signin")
    expect([page.text.includes(Object(first.json()).csrfToken), page.cookies.has(cookieName)]).toEqual([true, false])
  })

  it("a CSRF cookie of Auth.js is replaced", async () => {
    const { browser } = openHost()
    const old = `${"a".repeat(64)}|${"b".repeat(64)}`
    browser.cookies.set(cookieName, encodeURIComponent(old))
    expect(await browser.csrfToken()).not.toBe("a".repeat(64))
    expect(browser.cookies.get(cookieName)).not.toContain("aaaa")
  })
})

describe("a form without a valid CSRF token", () => {
  it.each(guarded)("CSRF-01: POST /%s without token and cookie is rejected before anything happens", async (path) => {
    const { host, calls, tried } = await openSpied()
    const answer = await ask(host, `/auth/${path}`, { form: {} })
    expect([answer.status, answer.location]).toEqual(refusal)
    expect([...answer.cookies.keys()]).toEqual(["__Secure-authjs.error-reference"])
    expect([host.logger.errorTypes(), tried, calls()]).toEqual([["MissingCSRF"], [], []])
    expect([host.mailbox.messages, host.idp.requests.discovery, host.idp.requests.authorization]).toEqual([[], [], []])
  })

  it.each(guarded)("CSRF-01: POST /%s without token is rejected even with a valid cookie", async (path) => {
    const { host, calls, tried } = await openSpied()
    await host.browser.csrfToken()
    const answer = await send(host, `/auth/${path}`, { email: "v@corp.test", ...right })
    expect([answer.status, answer.location]).toEqual(refusal)
    expect([host.logger.errorTypes(), tried, calls()]).toEqual([["MissingCSRF"], [], []])
    expect([host.mailbox.messages, host.idp.requests.discovery]).toEqual([[], []])
  })

  it("CSRF-12: does not reach authorize, even with valid credentials", async () => {
    const { host, expectNothing, tried } = await openSpied()
    const answer = await ask(host, "/auth/callback/cred", { form: { u: "attacker", p: "known" } })
    expect([answer.status, answer.location]).toEqual(refusal)
    expect([tried, host.logger.errorTypes()]).toEqual([[], ["MissingCSRF"]])
    await expectNothing()
  })

  it.each<[string, (host: TestHost) => Promise<{ fields: Record<string, string>; headers?: Record<string, string> }>]>([
    [
      "CSRF-03: the token without its cookie",
      async ({ browser }) => {
        const csrfToken = await browser.csrfToken()
        browser.cookies.delete(cookieName)
        return { fields: { csrfToken } }
      },
    ],
    ...["null", "undefined", ""].map(
      (word): [string, (host: TestHost) => Promise<{ fields: Record<string, string> }>] => [
        `CSRF-03: the word "${word}" in place of a token, without a cookie`,
        async () => ({ fields: { csrfToken: word } }),
      ],
    ),
    ...["aaaa", "a".repeat(64)].map(
      (token): [string, (host: TestHost) => Promise<{ fields: Record<string, string> }>] => [
        `CSRF-04: a pair made without the secret, of ${token.length} characters`,
        async ({ browser }) => {
          const digest = createHash("sha256").update(token).digest("hex")
          browser.cookies.set(cookieName, `${token}%7C${digest}`)
          return { fields: { csrfToken: token } }
        },
      ],
    ),
    [
      "CSRF-06: the token of another browser",
      async ({ browser, newBrowser }) => {
        await browser.csrfToken()
        return { fields: { csrfToken: await newBrowser().csrfToken() } }
      },
    ],
    [
      "CSRF-10: a foreign origin with a valid token",
      async ({ browser }) => ({
        fields: { csrfToken: await browser.csrfToken() },
        headers: { origin: "https://evil.test", "sec-fetch-site": "cross-site" },
      }),
    ],
    [
      "CSRF-11: the origin null with a valid token",
      async ({ browser }) => ({
        fields: { csrfToken: await browser.csrfToken() },
        headers: { origin: "null", "sec-fetch-site": "cross-site" },
      }),
    ],
  ])("%s is rejected, and the next sign-in works", async (_, prepare) => {
    const { host, expectNothing, tried } = await openSpied()
    const { fields, headers } = await prepare(host)
    const answer = await send(host, "/auth/callback/cred", { ...right, ...fields }, headers)
    expect([answer.status, answer.location]).toEqual(refusal)
    expect([tried, host.logger.errorTypes()]).toEqual([[], ["MissingCSRF"]])
    await expectNothing()
    await host.browser.signIn("cred", right)
    expect(await host.browser.session()).not.toBeNull()
  })

  it("CSRF-04: gets a new pair in place of a forged one", async () => {
    const { host } = await openSpied()
    for (const forged of [`aaaa|${createHash("sha256").update("aaaa").digest("hex")}`, `${"a".repeat(64)}|x`]) {
      host.browser.cookies.set(cookieName, encodeURIComponent(forged))
      const page = await get(host.browser, "/auth/signin")
      expect(page.cookies.get(cookieName)?.value).toMatch(/^[0-9a-f]{64}\|[0-9a-f]{64}$/)
      expect(page.cookies.get(cookieName)?.value).not.toBe(forged)
    }
  })

  it("CSRF-11: is accepted from a client that sends no origin, if its token is valid", async () => {
    const { host } = await openSpied()
    const csrfToken = await host.browser.csrfToken()
    const cookie = `${cookieName}=${host.browser.cookies.get(cookieName)}`
    const wrong = await ask(host, "/auth/callback/cred", { form: { csrfToken: "a".repeat(64) }, cookie })
    expect([wrong.status, wrong.location]).toEqual(refusal)
    const answer = await ask(host, "/auth/callback/cred", { form: { csrfToken }, cookie })
    expect([answer.location, answer.cookies.has(sessionCookie)]).toEqual(["https://app.test", true])
  })
})

describe.each(["jwt", "database"] as const)("a signed-in user, with %s sessions", (strategy) => {
  async function openSignedIn() {
    const spied = await openSpied(strategy)
    await spied.host.browser.signIn("cred", right)
    const session = spied.host.browser.cookies.get(sessionCookie)
    spied.forget()
    return { ...spied, session }
  }

  it("CSRF-02: is not signed out by a form without the token, with or without the cookie", async () => {
    const { host, calls, session } = await openSignedIn()
    const csrf = host.browser.cookies.get(cookieName)
    for (const cookie of [`${sessionCookie}=${session}`, `${sessionCookie}=${session}; ${cookieName}=${csrf}`]) {
      const answer = await ask(host, "/auth/signout", { form: { callbackUrl: "/" }, cookie })
      expect([answer.status, answer.location, answer.cookies.has(sessionCookie)]).toEqual([...refusal, false])
    }
    expect([calls(), host.events.names()]).toEqual([[], ["signIn"]])
    expect(host.logger.errorTypes()).toEqual(["MissingCSRF", "MissingCSRF"])
    expect(await host.browser.session()).toMatchObject({ user: { name: "V" } })
  })

  it("CSRF-08: is not signed out by JSON with a content type that a foreign page may send", async () => {
    const { host } = await openSignedIn()
    const body = JSON.stringify({ csrfToken: await host.browser.csrfToken(), callbackUrl: "/bye" })
    for (const type of ["text/plain; x=application/json", "text/plain;application/json", "text/application/json"]) {
      const headers = { "content-type": type }
      const answer = await readAnswer(await host.browser.fetch("/auth/signout", { method: "POST", body, headers }))
      expect([answer.status, answer.location, answer.cookies.has(sessionCookie)], type).toEqual([...refusal, false])
    }
    expect(await host.browser.session()).not.toBeNull()
    const headers = { "content-type": "Application/JSON; charset=utf-8" }
    await host.browser.fetch("/auth/signout", { method: "POST", body, headers })
    expect(await host.browser.session()).toBeNull()
  })

  it("CSRF-09: is not signed out, updated or sent to a provider by GET", async () => {
    const { host, calls, triggers } = await openSignedIn()
    const token = await host.browser.csrfToken()
    for (const id of ["oauth", "oidc", "email", "cred"]) {
      const { status, location } = await get(host.browser, `/auth/signin/${id}?csrfToken=${token}`)
      expect([status, location]).toEqual([302, "https://app.test/auth/error?error=Configuration"])
    }
    expect((await get(host.browser, `/auth/signout?csrfToken=${token}`)).status).toBe(200)
    expect((await get(host.browser, `/auth/session?csrfToken=${token}&data=%7B%7D`)).status).toBe(200)
    expect([host.events.names().includes("signOut"), triggers().includes("update")]).toEqual([false, false])
    expect(
      calls()
        .map(({ method }) => method)
        .filter((method) => !method.startsWith("get")),
    ).toEqual([])
    expect([host.idp.requests.discovery, host.idp.requests.authorization, host.mailbox.messages]).toEqual([[], [], []])
    expect(await host.browser.session()).toMatchObject({ user: { name: "V" } })
  })

  it("CSRF-16: is not updated without the token: 400 and null, no callback, no new cookie", async () => {
    const { host, calls, triggers, session } = await openSignedIn()
    const response = await host.browser.fetch("/auth/session", { json: { data: { role: "admin" } } })
    expect([response.status, await response.json(), response.headers.getSetCookie()]).toEqual([400, null, []])
    expect([triggers(), calls(), host.logger.errorTypes()]).toEqual([[], [], ["MissingCSRF"]])
    expect(host.browser.cookies.get(sessionCookie)).toBe(session)
    expect(await host.browser.session()).toMatchObject({ user: { name: "V" } })
  })

  it("CSRF-07: keeps the pair from before the sign-in, which belongs to the browser, not to the session", async () => {
    const { host, triggers } = await openSpied(strategy)
    const csrfToken = await host.browser.csrfToken()
    const pair = host.browser.cookies.get(cookieName)
    await host.browser.signIn("cred", right)
    const updated = await host.browser.fetch("/auth/session", { json: { csrfToken, data: { theme: "dark" } } })
    expect([updated.status, triggers().includes("update")]).toEqual([200, true])
    expect([host.browser.cookies.get(cookieName), await host.browser.csrfToken()]).toEqual([pair, csrfToken])
    const left = await send(host, "/auth/signout", { csrfToken, callbackUrl: "/bye" })
    expect([left.location, await host.browser.session()]).toEqual(["https://app.test/bye", null])
    expect(await host.browser.csrfToken()).toBe(csrfToken)
  })
})

describe("skipCSRFCheck", () => {
  it("accepts every form and sets no CSRF cookie", async () => {
    const host = openHost({ providers: [passwordProvider()], skipCSRFCheck })
    const answer = await send(host, "/auth/callback/cred", right)
    expect([answer.location, answer.cookies.has(sessionCookie)]).toEqual(["https://app.test", true])
    await get(host.browser, "/auth/signin")
    expect(host.browser.cookies.get(cookieName)).toBeUndefined()
  })

  it.each([true, 1, "skip", {}, Symbol("skip-csrf-check"), Symbol.for("skip-csrf-check")])(
    "CSRF-15: accepts only the marker, not %s",
    async (marker) => {
      const host = openHost({ providers: [passwordProvider()], skipCSRFCheck: marker as typeof skipCSRFCheck }) // as: possible in plain JavaScript.
      const answer = await send(host, "/auth/callback/cred", right)
      expect([answer.status, answer.location]).toEqual(refusal)
      expect((await get(host.browser, "/auth/csrf")).status).toBe(200)
      expect(host.logger.warnings).toEqual([])
    },
  )
})

describe("callbacks of identity providers", () => {
  it("need no CSRF token", async () => {
    const authorization = { params: { response_mode: "form_post" } }
    const host = openHost({ providers: ({ idp }) => [idp.provider({ authorization })] })
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
  })

  it.each(["oidc", "oauth"])(
    "CSRF-14, LINK-07: of %s are rejected in a browser that did not begin the flow",
    async (id) => {
      const { host, expectNothing, calls, forget } = await openSpied("database")
      const { location } = await post(host.newBrowser(), `/auth/signin/${id}`)
      const sent = await host.idp.handler(new Request(location ?? ""))
      forget()
      const answer = await get(host.browser, (sent.headers.get("location") ?? "").replace("https://app.test", ""))
      expect([answer.status, answer.location]).toEqual([302, "https://app.test/auth/error?error=Configuration"])
      expect([host.logger.errorTypes(), host.idp.requests.token, calls()]).toEqual([["InvalidCheck"], [], []])
      await expectNothing()
    },
  )
})
