import { skipCSRFCheck } from "@latchkey/core"
import { type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { type Answer, ask, get, post, readAnswer } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider, sessionCookie } from "./sign-ins.js"

const cookieName = "__Host-authjs.csrf-token"

function openSpied(): { host: TestHost; tried: unknown[] } {
  const tried: unknown[] = []
  const authorize = (credentials: unknown) => {
    tried.push(credentials)
    return { id: "u-v" }
  }
  const host = openHost({
    providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider({ authorize })],
    session: { strategy: "jwt" },
    callbacks: { jwt: ({ token, trigger }) => (trigger === "update" ? { ...token, name: "changed" } : token) },
  })
  return { host, tried }
}

async function send(
  { browser }: TestHost,
  path: string,
  fields: Record<string, string>,
  headers = {},
): Promise<Answer> {
  return readAnswer(await browser.fetch(path, { method: "POST", body: new URLSearchParams(fields), headers }))
}

const guarded = ["signin/oidc", "signin/email", "signin", "signout", "callback/cred"]

describe("the CSRF token", () => {
  it("is kept in a cookie with its MAC, reused, and then not set again", async () => {
    const { browser } = openHost()
    const first = await get(browser, "/auth/csrf")
    expect(first.cookies.get(cookieName)?.value).toMatch(/^[0-9a-f]{64}\|[0-9a-f]{64}$/)
    const second = await get(browser, "/auth/csrf")
    expect([second.json(), second.cookies.size]).toEqual([first.json(), 0])
    const page = await get(browser, "/auth/signin")
    expect([page.text.includes(Object(first.json()).csrfToken), page.cookies.has(cookieName)]).toEqual([true, false])
  })

  it("stays the same over sign-in and sign-out (CSRF-07)", async () => {
    const { host } = openSpied()
    const token = await host.browser.csrfToken()
    await host.browser.signIn("cred")
    expect(await host.browser.csrfToken()).toBe(token)
    await host.browser.signOut()
    expect(await host.browser.csrfToken()).toBe(token)
  })

  it("of an earlier release is replaced", async () => {
    const { browser } = openHost()
    const old = `${"a".repeat(64)}|${"b".repeat(64)}`
    browser.cookies.set(cookieName, encodeURIComponent(old))
    expect(await browser.csrfToken()).not.toBe("a".repeat(64))
    expect(browser.cookies.get(cookieName)).not.toContain("aaaa")
  })
})

describe("a form without proof of its origin", () => {
  it.each(guarded)("POST /%s without token is refused before anything happens (CSRF-01, CSRF-12)", async (path) => {
    const { host, tried } = openSpied()
    await host.browser.csrfToken()
    const answer = await send(host, `/auth/${path}`, { email: "v@corp.test" })
    expect([answer.status, answer.location]).toEqual([302, "https://app.test/auth/signin?error=MissingCSRF"])
    expect(host.logger.errorTypes()).toEqual(["MissingCSRF"])
    expect([tried, host.mailbox.messages, host.idp.requests.discovery]).toEqual([[], [], []])
  })

  it.each<[string, (host: TestHost) => Promise<{ fields: Record<string, string>; headers?: Record<string, string> }>]>([
    [
      "the token without its cookie (CSRF-03)",
      async ({ browser }) => {
        const csrfToken = await browser.csrfToken()
        browser.cookies.delete(cookieName)
        return { fields: { csrfToken } }
      },
    ],
    [
      "a pair made without the secret (CSRF-04)",
      async ({ browser }) => {
        const token = "a".repeat(64)
        const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))
        browser.cookies.set(cookieName, `${token}%7C${Buffer.from(digest).toString("hex")}`)
        return { fields: { csrfToken: token } }
      },
    ],
    [
      "the token of another browser (CSRF-06)",
      async ({ browser, newBrowser }) => {
        await browser.csrfToken()
        return { fields: { csrfToken: await newBrowser().csrfToken() } }
      },
    ],
    [
      "a foreign origin with the right token (CSRF-10)",
      async ({ browser }) => ({
        fields: { csrfToken: await browser.csrfToken() },
        headers: { origin: "https://evil.test", "sec-fetch-site": "cross-site" },
      }),
    ],
    [
      "the origin null with the right token (CSRF-11)",
      async ({ browser }) => ({
        fields: { csrfToken: await browser.csrfToken() },
        headers: { origin: "null", "sec-fetch-site": "cross-site" },
      }),
    ],
  ])("is refused: %s", async (_, prepare) => {
    const { host, tried } = openSpied()
    const { fields, headers } = await prepare(host)
    const answer = await send(host, "/auth/callback/cred", { u: "v", p: "right", ...fields }, headers)
    expect(answer.location).toBe("https://app.test/auth/signin?error=MissingCSRF")
    expect([tried, host.logger.errorTypes()]).toEqual([[], ["MissingCSRF"]])
    await host.browser.signIn("cred")
    expect(await host.browser.session()).not.toBeNull()
  })

  it("is accepted from a plain client that names no origin (CSRF-11)", async () => {
    const { host } = openSpied()
    const csrfToken = await host.browser.csrfToken()
    const cookie = `${cookieName}=${host.browser.cookies.get(cookieName)}`
    const answer = await ask(host, "/auth/callback/cred", { form: { csrfToken }, cookie })
    expect([answer.location, answer.cookies.has(sessionCookie)]).toEqual(["https://app.test", true])
  })

  it("is not read as JSON under a type that a foreign page may send (CSRF-08)", async () => {
    const { host } = openSpied()
    const body = JSON.stringify({ csrfToken: await host.browser.csrfToken() })
    const headers = { "content-type": "text/plain; x=application/json" }
    const answer = await readAnswer(await host.browser.fetch("/auth/signout", { method: "POST", body, headers }))
    expect(answer.location).toBe("https://app.test/auth/signin?error=MissingCSRF")
  })

  it("does not sign out (CSRF-02)", async () => {
    const { host } = openSpied()
    await host.browser.signIn("cred")
    await send(host, "/auth/signout", { callbackUrl: "/" })
    expect(await host.browser.session()).not.toBeNull()
    expect(host.events.names()).not.toContain("signOut")
  })

  it("does not update the session: 400 and null (CSRF-16)", async () => {
    const { host } = openSpied()
    await host.browser.signIn("cred")
    const before = host.browser.cookies.get(sessionCookie)
    const response = await host.browser.fetch("/auth/session", { json: { data: { role: "admin" } } })
    expect([response.status, await response.json(), response.headers.getSetCookie()]).toEqual([400, null, []])
    expect(host.browser.cookies.get(sessionCookie)).toBe(before)
    expect(host.logger.errorTypes()).toEqual(["MissingCSRF"])
  })

  it("nothing changes by GET (CSRF-09)", async () => {
    const { host } = openSpied()
    await host.browser.signIn("cred")
    const token = await host.browser.csrfToken()
    await get(host.browser, `/auth/signout?csrfToken=${token}`)
    await get(host.browser, `/auth/session?csrfToken=${token}&data=%7B%7D`)
    expect((await host.browser.session())?.user?.name).not.toBe("changed")
    expect(host.events.names()).not.toContain("signOut")
  })
})

describe("skipCSRFCheck", () => {
  it("counts every form as ours and sets no csrf cookie", async () => {
    const host = openHost({ providers: [passwordProvider()], skipCSRFCheck })
    const answer = await send(host, "/auth/callback/cred", { u: "v", p: "right" })
    expect([answer.location, answer.cookies.has(sessionCookie)]).toEqual(["https://app.test", true])
    await get(host.browser, "/auth/signin")
    expect(host.browser.cookies.get(cookieName)).toBeUndefined()
  })

  it.each([true, "skip", Symbol("skip-csrf-check")])("takes the marker alone, not %s (CSRF-15)", async (marker) => {
    const host = openHost({ providers: [passwordProvider()], skipCSRFCheck: marker as typeof skipCSRFCheck }) // as: a host without types
    const answer = await send(host, "/auth/callback/cred", { u: "v", p: "right" })
    expect(answer.location).toBe("https://app.test/auth/signin?error=MissingCSRF")
  })
})

describe("answers of identity providers", () => {
  it("need no token of ours", async () => {
    const authorization = { params: { response_mode: "form_post" } }
    const host = openHost({ providers: ({ idp }) => [idp.provider({ authorization })] })
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
  })

  it("are refused in a browser that did not ask for them (CSRF-14, LINK-07)", async () => {
    const host = openHost()
    const { location } = await post(host.newBrowser(), "/auth/signin/oidc")
    const sent = await host.idp.handler(new Request(location ?? ""))
    const page = await host.browser.open(sent.headers.get("location") ?? "")
    expect(page.url.search).toBe("?error=Configuration")
    expect([host.logger.errorTypes(), host.idp.requests.token]).toEqual([["InvalidCheck"], []])
    expect(await host.browser.session()).toBeNull()
  })
})
