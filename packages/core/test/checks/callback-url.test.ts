import { memoryAdapter, type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { type Answer, ask, get, post } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const cookie = "__Secure-authjs.callback-url"
const home = "https://app.test"
const right = { u: "v", p: "right" }

/** One of each kind. The test of `checks/callback-url.ts` has all of them. */
const foreign = [
  ["URL-01", "https://evil.test/x"],
  ["URL-04", "https://app.test@evil.test"],
  ["URL-05", "https://app.test.evil.test"],
  ["URL-06", "https://app.test:8443/"],
  ["URL-07", "blob:https://app.test/1"],
  ["URL-08", "javascript:alert(1)"],
] as const

const openFull = () =>
  openHost({
    adapter: memoryAdapter(),
    session: { strategy: "jwt" },
    providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider()],
  })

/** The redirects of every form with this callback URL, each in a new browser. */
async function exitsByBody(callbackUrl: string): Promise<readonly (readonly [string, string | null, TestHost])[]> {
  const [signedOut, byPassword, byProvider, byMail] = [openFull(), openFull(), openFull(), openFull()]
  const left = await post(signedOut.browser, "/auth/signout", { callbackUrl })
  const entered = await post(byPassword.browser, "/auth/callback/cred", { ...right, callbackUrl })
  const returned = await byProvider.browser.signIn("oidc", { callbackUrl })
  await byMail.browser.signIn("email", { email: "v@corp.test", callbackUrl })
  const clicked = await get(byMail.browser, byMail.mailbox.lastLink().replace(home, ""))
  return [
    ["signout", left.location, signedOut],
    ["callback/cred", entered.location, byPassword],
    ["callback/oidc", returned.hops.at(-1)?.url.href ?? null, byProvider],
    ["callback/email", clicked.location, byMail],
  ]
}

/** Expects the text in no header and on no page. */
function expectNotRepeated(answer: Answer, text: string): void {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${decodeURIComponent(value)}`).join("\n")
  expect(headers).not.toContain(text)
  expect(answer.text).not.toContain(text)
}

describe("callbackUrl", () => {
  it.each(foreign)(
    "%s: %s in a body falls back to the origin in every flow",
    { timeout: 60_000 },
    async (_, callbackUrl) => {
      for (const [exit, location, host] of await exitsByBody(callbackUrl)) {
        expect([exit, location?.replace(/\/$/, "")]).toEqual([exit, home])
        expect(decodeURIComponent(host.browser.cookies.get(cookie) ?? "")).toBe(home)
        expect(host.logger.errors).toEqual([])
      }
    },
  )

  it.each(foreign)("%s: %s in a cookie falls back to the origin, and is overwritten", async (_, planted) => {
    for (const [path, fields] of [
      ["/auth/signout", {}],
      ["/auth/callback/cred", right],
    ] as const) {
      const { browser, logger } = openFull()
      browser.cookies.set(cookie, encodeURIComponent(planted))
      const answer = await post(browser, path, fields)
      expect([answer.location, logger.errors]).toEqual([home, []])
      expect([home, ""]).toContain(answer.cookies.get(cookie)?.value)
      expectNotRepeated(answer, planted)
    }
  })

  it.each(foreign)("%s: %s in a query is never followed or shown", async (_, callbackUrl) => {
    const query = `callbackUrl=${encodeURIComponent(callbackUrl)}`
    const { browser } = openFull()
    for (const path of ["signin", "signout", "csrf", "session", "callback/email?token=t&email=v@corp.test"]) {
      const answer = await get(browser, `/auth/${path}${path.includes("?") ? "&" : "?"}${query}`)
      expectNotRepeated(answer, callbackUrl)
      if (answer.location !== null) expect(new URL(answer.location).origin, path).toBe(home)
    }
    for (const [path, fields] of [
      ["signout", {}],
      ["callback/cred", right],
      ["signin/email", { email: "v@corp.test" }],
    ] as const) {
      const answer = await post(browser, `/auth/${path}?${query}`, fields)
      expectNotRepeated(answer, callbackUrl)
      if (answer.location !== null) expect(new URL(answer.location).origin, path).toBe(home)
    }
  })

  it.each([
    ["URL-02", "//evil.test"],
    ["URL-03", "/\\evil.test"],
    ["URL-03", "/\t/evil.test"],
  ])("%s: %j stays at this origin in every flow", { timeout: 60_000 }, async (_, callbackUrl) => {
    for (const [exit, location] of await exitsByBody(callbackUrl)) {
      expect(new URL(location ?? "", "https://app.test/auth/x").origin, exit).toBe(home)
      expect(location, exit).toMatch(/^[\x21-\x5b\x5d-\x7e]+$/)
    }
    const byQuery = await get(openFull().browser, `/auth/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`)
    expect([200, 500]).toContain(byQuery.status)
    expect(byQuery.text).not.toMatch(/(?:href|action|value)="(?:\/[/\\]|\\)/)
  })

  it.each([
    ["/in?a=b#c", "https://app.test/in?a=b#c"],
    ["https://app.test", "https://app.test"],
  ])("%j leads to %s", async (callbackUrl, location) => {
    expect((await post(openHost().browser, "/auth/signout", { callbackUrl })).location).toBe(location)
  })

  it("URL-04: loses its user name and password at this origin", async () => {
    const { location } = await post(openHost().browser, "/auth/signout", { callbackUrl: "https://u:p@app.test/" })
    expect(location).toBe("https://app.test/")
  })

  it("URL-12: cannot inject a header", async () => {
    const injected = "/x\r\nSet-Cookie: a=b\r\nLocation: https://evil.test"
    for (const [path, fields] of [
      ["/auth/signout", { callbackUrl: injected }],
      [`/auth/signout?callbackUrl=${encodeURIComponent(injected)}`, {}],
    ] as const) {
      const answer = await post(openHost().browser, path, fields)
      expect(answer.location).toBe("https://app.test/xSet-Cookie:%20a=bLocation:%20https://evil.test")
      expect([...answer.cookies.keys()].includes("a")).toBe(false)
    }
  })

  it("URL-13: is encoded in ASCII", async () => {
    const { location } = await post(openHost().browser, "/auth/signout", { callbackUrl: "/€" })
    expect(location).toBe("https://app.test/%E2%82%AC")
  })

  it("is read from the body, then the query, then the cookie", async () => {
    const { browser } = openHost()
    const first = await post(browser, "/auth/signout?callbackUrl=/query", { callbackUrl: "/body" })
    const second = await post(browser, "/auth/signout?callbackUrl=/query")
    const third = await post(browser, "/auth/signout")
    expect([first.location, second.location, third.location]).toEqual([
      "https://app.test/body",
      "https://app.test/query",
      "https://app.test/query",
    ])
    expect([first.cookies.has(cookie), third.cookies.has(cookie)]).toEqual([true, false])
  })

  it.each(["https://[", "http://:@/", "%", "javascript:alert(1)", "nowhere"])(
    "URL-09: %s in a query is rejected as the contract says, and the next request works",
    async (callbackUrl) => {
      const { browser, logger } = openHost()
      const query = `callbackUrl=${callbackUrl === "%" ? "%" : encodeURIComponent(callbackUrl)}`
      expect((await get(browser, `/auth/csrf?${query}`)).status).toBe(500)
      const page = await get(browser, `/auth/signin?${query}`)
      expect(page.status).toBe(500)
      if (callbackUrl !== "%") expect(page.text).not.toContain(callbackUrl)
      expect(logger.errorTypes()).toEqual(["InvalidCallbackUrl", "InvalidCallbackUrl"])
      expect((await get(browser, "/auth/csrf")).status).toBe(200)
      await browser.signIn("oidc")
      expect(await browser.session()).not.toBeNull()
    },
  )

  it.each(["https://[", "http://:@/", "javascript:alert(1)", "nowhere", "%"])(
    "URL-10: a cookie with %s is cleared by any action, and never blocks the service",
    async (value) => {
      const actions = [
        ["GET", "session", 200, undefined],
        ["GET", "csrf", 200, undefined],
        ["GET", "providers", 200, undefined],
        ["GET", "signin", 200, ""],
        ["GET", "signout", 200, ""],
        ["POST", "signout", 302, ""],
        ["POST", "callback/cred", 302, ""],
        ["POST", "signin/oidc", 302, ""],
        ["POST", "signin/email", 302, ""],
      ] as const
      for (const [method, action, status, set] of actions) {
        const { browser, logger } = openFull()
        browser.cookies.set(cookie, encodeURIComponent(value))
        const path = `/auth/${action}`
        const answer = await (method === "GET"
          ? get(browser, path)
          : post(browser, path, { ...right, email: "v@corp.test" }))
        expect([action, answer.status, answer.cookies.get(cookie)?.value]).toEqual([action, status, set])
        expect(answer.location ?? "").not.toContain("error=")
        expect(logger.errors).toEqual([])
      }
    },
  )

  it.each([[["https://evil.test"]], [1], [{ startsWith: 1 }], [null], [true]])(
    "URL-11: %j is answered with 400, not with a configuration error",
    async (callbackUrl) => {
      for (const path of ["signout", "signin/oidc", "callback/cred", "session"]) {
        const host = openFull()
        const csrfToken = await host.browser.csrfToken()
        const response = await host.browser.fetch(`/auth/${path}`, { json: { csrfToken, ...right, callbackUrl } })
        expect([response.status, host.logger.errorTypes()], path).toEqual([400, ["InvalidRequest"]])
        expect(host.browser.cookies.get(sessionCookie)).toBeUndefined()
      }
    },
  )

  it("the URL of an OAuth flow is checked when the flow begins, and the callback's query is ignored", async () => {
    const { browser, idp } = openHost()
    idp.faults.turnOn({
      authorizationAnswer: ({ params, mode }) => {
        params.set("callbackUrl", "https://app.test/changed")
        return { params, mode }
      },
    })
    expect((await browser.signIn("oidc", { callbackUrl: "/in" })).url.href).toBe("https://app.test/in")
  })

  it("PAGE-05: is in the form of the sign-in page after the check, with the CSRF token", async () => {
    const { browser } = openFull()
    const token = await browser.csrfToken()
    const answer = await get(
      browser,
      "/auth/signin?csrfToken=X&callbackUrl=https://evil.test&providers=x&theme=x&email=%22%3E%3Cb%3E&signinUrl=x",
    )
    expect([answer.status, answer.text.includes('"><b>'), answer.text.includes("evil.test")]).toEqual([
      200,
      false,
      false,
    ])
    const page = await browser.open(
      "/auth/signin?csrfToken=X&callbackUrl=https://evil.test&providers=x&theme=x&email=%22%3E%3Cb%3E&signinUrl=x",
    )
    for (const form of [
      'form[action$="/signin/oidc"]',
      'form[action$="/signin/email"]',
      'form[action$="/callback/cred"]',
    ]) {
      expect(page.form(form).fields, form).toMatchObject({ csrfToken: token, callbackUrl: home })
    }
    expect(page.find('input[name="email"]')?.attribute("value")).toBe('"><b>')
  })
})

describe("callbacks.redirect", () => {
  it("receives a parameter or a cookie with the origin, and for a form without either the origin itself", async () => {
    const asked: unknown[] = []
    const redirect = (params: { url: string; baseUrl: string }) => {
      asked.push(params)
      return `${params.baseUrl}/decided`
    }
    const { browser } = openHost({ callbacks: { redirect } })
    await get(browser, "/auth/signout")
    expect(asked).toEqual([])
    expect((await post(browser, "/auth/signout")).location).toBe("https://app.test/decided")
    const answer = await post(browser, "/auth/signout", { callbackUrl: "https://else.test/x" })
    expect(answer.location).toBe("https://app.test/decided")
    await post(browser, "/auth/signout")
    expect(asked).toEqual([
      { url: home, baseUrl: home },
      { url: "https://else.test/x", baseUrl: home },
      { url: "https://app.test/decided", baseUrl: home },
    ])
  })

  it("URL-16: may return another site", async () => {
    const { browser } = openHost({ callbacks: { redirect: () => "https://partner.test/x" } })
    expect((await post(browser, "/auth/signout", { callbackUrl: "/" })).location).toBe("https://partner.test/x")
  })

  it.each<[string, () => unknown]>([
    ["a script", () => "javascript:1"],
    ["nothing", () => undefined],
    [
      "a failure",
      () => {
        throw new Error("no policy")
      },
    ],
    ["a rejection", () => Promise.reject(new Error("no policy"))],
  ])("URL-16: falls back to the origin and logs an error when it returns %s", async (_, redirect) => {
    const { browser, logger } = openHost({ callbacks: { redirect: redirect as () => string } }) // as: possible in plain JavaScript.
    const answer = await post(browser, "/auth/signout", { callbackUrl: "/in" })
    expect([answer.location, logger.errorTypes()]).toEqual([home, ["InvalidConfiguration"]])
    expect(logger.errors[0]?.message).toMatch(/^callbacks\.redirect: /)
  })

  it("is not called for a rejected request", async () => {
    const asked: unknown[] = []
    const host = openHost({
      callbacks: {
        redirect({ url }) {
          asked.push(url)
          return url
        },
      },
    })
    await ask(host, "/auth/signout", { form: { callbackUrl: "https://evil.test" } })
    expect(asked).toEqual([])
  })
})
