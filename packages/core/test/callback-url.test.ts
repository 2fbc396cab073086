import { describe, expect, it } from "vitest"
import { ask, get, post } from "./answers.js"
import { openHost } from "./hosts.js"

const cookie = "__Secure-authjs.callback-url"
const home = "https://app.test"

const foreign = [
  ["URL-01", "https://evil.test/x"],
  ["URL-04", "https://app.test@evil.test"],
  ["URL-04", "https://app.test:443@evil.test"],
  ["URL-05", "https://app.test.evil.test"],
  ["URL-05", "https://evil-app.test"],
  ["URL-05", "https://app.testx"],
  ["URL-06", "http://app.test/"],
  ["URL-06", "https://app.test:8443/"],
  ["URL-06", "ws://app.test"],
  ["URL-07", "blob:https://app.test/1"],
  ["URL-08", "javascript:alert(1)"],
  ["URL-08", "data:text/html,x"],
] as const

describe("callbackUrl", () => {
  it.each(foreign)("%s: %s in a body leads home, and is not remembered", async (_, callbackUrl) => {
    const { browser } = openHost()
    const answer = await post(browser, "/auth/signout", { callbackUrl })
    expect([answer.status, answer.location, answer.cookies.get(cookie)?.value]).toEqual([302, home, home])
  })

  it.each([
    "//evil.test",
    "///evil.test",
    "////evil.test/x",
    "/\\evil.test",
    "/%5Cevil.test",
    "/\t/evil.test",
    "/\n/evil.test",
  ])("%j stays at this origin (URL-02, URL-03)", async (callbackUrl) => {
    const { location } = await post(openHost().browser, "/auth/signout", { callbackUrl })
    expect(new URL(location ?? "", "https://app.test/auth/x").origin).toBe(home)
    expect(location).toMatch(/^[\x21-\x5b\x5d-\x7e]+$/)
  })

  it.each([
    ["/in", "https://app.test/in"],
    ["/in?a=b#c", "https://app.test/in?a=b#c"],
    ["https://app.test/in", "https://app.test/in"],
    ["https://app.test", "https://app.test"],
    ["https://u:p@app.test/", "https://app.test/"],
    ["/€", "https://app.test/%E2%82%AC"],
    ["/x\r\nSet-Cookie: a=b", "https://app.test/xSet-Cookie:%20a=b"],
  ])("%j leads to %s (URL-04, URL-12, URL-13)", async (callbackUrl, location) => {
    expect((await post(openHost().browser, "/auth/signout", { callbackUrl })).location).toBe(location)
  })

  it("counts first in the body, then in the query, then in the cookie", async () => {
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

  it.each(["https://[", "javascript:alert(1)", "nowhere", "%"])(
    "%s in a query is refused, and the next request works (URL-09)",
    async (callbackUrl) => {
      const { browser, logger } = openHost()
      const query = `callbackUrl=${encodeURIComponent(callbackUrl)}`
      expect((await get(browser, `/auth/csrf?${query}`)).status).toBe(500)
      const page = await get(browser, `/auth/signin?${query}`)
      expect([page.status, page.text.includes(callbackUrl)]).toEqual([500, false])
      expect(logger.errorTypes()).toEqual(["InvalidCallbackUrl", "InvalidCallbackUrl"])
      expect((await get(browser, "/auth/csrf")).status).toBe(200)
    },
  )

  it.each(["https://[", "javascript:alert(1)", "nowhere"])(
    "a cookie that says %s is forgotten, never an outage that sticks (URL-10)",
    async (value) => {
      const { browser, logger } = openHost()
      browser.cookies.set(cookie, encodeURIComponent(value))
      expect((await get(browser, "/auth/session")).status).toBe(200)
      const answer = await get(browser, "/auth/signin")
      expect([answer.status, answer.cookies.get(cookie)?.value]).toEqual([200, ""])
      expect(logger.errors).toEqual([])
      expect(browser.cookies.get(cookie)).toBeUndefined()
    },
  )

  it.each([[["https://evil.test"]], [1], [{ startsWith: 1 }]])(
    "%j is 400, no fault of the configuration (URL-11)",
    async (callbackUrl) => {
      const host = openHost()
      const answer = await ask(host, "/auth/signout", { json: { callbackUrl } })
      expect([answer.status, host.logger.errorTypes()]).toEqual([400, ["InvalidRequest"]])
    },
  )

  it("of a cookie that somebody planted leads home (URL-01)", async () => {
    const { browser } = openHost()
    browser.cookies.set(cookie, encodeURIComponent("https://evil.test"))
    const answer = await post(browser, "/auth/signout")
    expect([answer.location, answer.cookies.get(cookie)?.value]).toEqual([home, home])
  })

  it("of an OAuth flow is checked when it begins, and what the query says on return does not count", async () => {
    const { browser, idp } = openHost()
    idp.faults.turnOn({
      authorizationAnswer: ({ params, mode }) => {
        params.set("callbackUrl", "https://app.test/changed")
        return { params, mode }
      },
    })
    expect((await browser.signIn("oidc", { callbackUrl: "/in" })).url.href).toBe("https://app.test/in")
  })

  it("is in the form of the sign-in page once it was checked, as is the real token (PAGE-05)", async () => {
    const { browser } = openHost()
    const token = await browser.csrfToken()
    await browser.open("/auth/signin?csrfToken=X&callbackUrl=https://evil.test&providers=x&theme=x&email=%22%3E")
    expect(browser.page?.form().fields).toMatchObject({ csrfToken: token, callbackUrl: home })
  })
})

describe("callbacks.redirect", () => {
  it("is asked about a parameter and about a cookie, with the origin, and not without either", async () => {
    const asked: unknown[] = []
    const redirect = (params: { url: string; baseUrl: string }) => {
      asked.push(params)
      return `${params.baseUrl}/decided`
    }
    const { browser } = openHost({ callbacks: { redirect } })
    await post(browser, "/auth/signout")
    expect(asked).toEqual([])
    const answer = await post(browser, "/auth/signout", { callbackUrl: "https://else.test/x" })
    expect(answer.location).toBe("https://app.test/decided")
    await post(browser, "/auth/signout")
    expect(asked).toEqual([
      { url: "https://else.test/x", baseUrl: home },
      { url: "https://app.test/decided", baseUrl: home },
    ])
  })

  it("may lead to another site: that is the host's decision (URL-16)", async () => {
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
  ])("that answers %s leads home, with a warning (URL-16)", async (_, redirect) => {
    const { browser, logger } = openHost({ callbacks: { redirect: redirect as () => string } }) // as: a host without types
    const answer = await post(browser, "/auth/signout", { callbackUrl: "/in" })
    expect([answer.location, logger.warnings, logger.errors]).toEqual([home, ["redirect-callback-invalid"], []])
  })
})
