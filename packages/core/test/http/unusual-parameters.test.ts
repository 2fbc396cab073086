import { memoryAdapter, type TestHost, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask, get, post, readAnswer } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

/** A host with a provider of each type that reads parameters. */
function openFull(options: TestHostOptions = {}): TestHost {
  return openHost({
    adapter: memoryAdapter(),
    providers: ({ idp }) => [idp.provider(), passwordProvider(), testEmail()],
    session: { strategy: "jwt" },
    ...options,
  })
}

describe("unusual parameters", () => {
  it("LIM-06: a repeated name counts by its last value in forms, and by its first in URLs", async () => {
    const host = openFull()
    const csrfToken = await host.browser.csrfToken()
    const twice = [
      ["csrfToken", csrfToken],
      ["callbackUrl", "/first"],
      ["callbackUrl", "/second"],
    ]
    const answer = await readAnswer(
      await host.browser.fetch("/auth/signout", { method: "POST", body: new URLSearchParams(twice) }),
    )
    expect(answer.location).toBe("https://app.test/second")
    const page = await get(host.newBrowser(), "/auth/signin?callbackUrl=/first&callbackUrl=/second")
    expect([...page.cookies].find(([name]) => name.includes("callback-url"))?.[1].value).toBe("https://app.test/first")
    await host.browser.fetch("/auth/signin/email", {
      method: "POST",
      body: new URLSearchParams([
        ...twice,
        ["email", "a@corp.test"],
        ["email", "b@corp.test"],
        ["email[]", "c@corp.test"],
      ]),
    })
    expect(host.mailbox.messages.map(({ to }) => to)).toEqual(["b@corp.test"])
  })

  it("CSRF-05: are refused if they repeat the CSRF token of a form", async () => {
    const host = openFull()
    const csrfToken = await host.browser.csrfToken()
    for (const tokens of [
      ["forged", csrfToken],
      [csrfToken, "forged"],
      [csrfToken, csrfToken],
    ]) {
      const body = new URLSearchParams(tokens.map((token) => ["csrfToken", token]))
      const answer = await readAnswer(await host.browser.fetch("/auth/signout", { method: "POST", body }))
      expect([answer.status, answer.text]).toEqual([400, '"Bad request."'])
    }
  })

  it.each(["code", "state", "iss", "error"])(
    "LIM-06: are refused if they are duplicated in a provider's callback: %s",
    async (name) => {
      const host = openFull()
      const answer = await get(host.browser, `/auth/callback/oidc?code=a&state=b&${name}=1&${name}=2`)
      expect(answer.location).toMatch(/^https:\/\/app\.test\/auth\/(error|signin)\?error=\w+$/)
      expect(host.idp.requests.token).toEqual([])
      expect(await host.browser.session()).toBeNull()
    },
  )

  it.each(["csrfToken[x]", "csrfToken[]", "csrfToken.x"])(
    "LIM-06: with brackets or dots in their names have no special meaning: %s",
    async (name) => {
      const { browser } = openFull()
      const body = new URLSearchParams({ [name]: await browser.csrfToken() })
      const answer = await readAnswer(await browser.fetch("/auth/signout", { method: "POST", body }))
      expect(answer.location).toBe("https://app.test/auth/signin?error=MissingCSRF")
    },
  )

  it.each([
    ["callback/cred", "csrfToken", ["x"]],
    ["callback/cred", "callbackUrl", { startsWith: 1 }],
    ["signin/email", "email", ["a@corp.test", "b@corp.test"]],
    ["signin/email", "email", { toString: "a@corp.test" }],
  ])("LIM-06: POST %s refuses a %s that is not a string", async (path, name, value) => {
    const host = openFull()
    const fields = { csrfToken: await host.browser.csrfToken(), u: "v", p: "right", [name]: value }
    const answer = await readAnswer(await host.browser.fetch(`/auth/${path}`, { json: fields }))
    expect(answer.status).toBe(400)
    expect([host.mailbox.messages, await host.browser.session()]).toEqual([[], null])
  })

  // A check with quadratic time would take ten billion steps for a hundred thousand characters.
  it.each(["a", "@", ".", "/", "%", ";", "=", "+", " ", ",", "\u0300"])(
    "LIM-08: of 100,000 times %j are processed in time, wherever the service reads them",
    { timeout: 60_000 },
    async (character) => {
      const text = character.repeat(character === "\u0300" ? 30_000 : 100_000)
      const latin = character === "\u0300" ? "\u00e9".repeat(100_000) : text
      const requestLimits = { bodyBytes: 4_194_304, headerBytes: 1_048_576, urlLength: 1_048_576 }
      const host = openFull({ requestLimits, trustedProxies: ["127.0.0.1"], rateLimit: {} })
      const fields = { email: text, u: text, callbackUrl: `/${text}`, code: text, state: text }
      for (const path of ["signin/email", "callback/cred", "signin/oidc", "signout"]) {
        expect((await post(host.browser, `/auth/${path}`, fields)).status).toBe(302)
      }
      const headers = { "accept-language": latin, "x-forwarded-for": latin, forwarded: latin, "x-request-id": latin }
      const cookie = `${sessionCookie}=${latin.replaceAll(";", "a")}; ${latin}`
      for (const path of ["signin", "session", "error", "verify-request", "callback/oidc", "callback/email"]) {
        expect((await ask(host, `/auth/${path}`, { headers, cookie })).status).toBeLessThan(501)
        for (const name of ["callbackUrl", "error", "email", "token", "code", "state", "iss"]) {
          const answer = await ask(host, `/auth/${path}?${new URLSearchParams({ [name]: text })}`)
          expect(answer.status).toBeLessThan(501)
        }
      }
    },
  )
})
