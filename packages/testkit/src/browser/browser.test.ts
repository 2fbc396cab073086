import { describe, expect, it } from "vitest"
import { createBrowser } from "./browser.js"
import type { Handler, Network } from "./navigation.js"

type Answers = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>

function html(body: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { headers: { "content-type": "text/html", ...headers } })
}

function goTo(location: string, status = 302, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location })
  for (const cookie of cookies) headers.append("set-cookie", cookie)
  return new Response(null, { status, headers })
}

/** An app whose paths answer as told, and a record of what arrived there. */
function visit(answers: Answers, network: Network = {}) {
  const requests: Request[] = []
  const handler: Handler = (request) => {
    requests.push(request.clone())
    return answers[new URL(request.url).pathname]?.(request) ?? new Response("nothing", { status: 404 })
  }
  const lastHeader = (name: string) => requests.at(-1)?.headers.get(name) ?? null
  return { browser: createBrowser({ handler, network }), requests, lastHeader }
}

const setCookies = [
  "lax=1; Path=/; Secure; SameSite=Lax",
  "none=1; Path=/; Secure; SameSite=None",
  "strict=1; Path=/; Secure; SameSite=Strict",
]

describe("navigating", () => {
  it("follows redirects across origins, keeps cookies on the way, and remembers each hop", async () => {
    const { browser, requests } = visit(
      {
        "/start": () => goTo("https://idp.test/authorize", 302, ["flow=1; Path=/"]),
        "/back": () => html("<title>Home</title>"),
      },
      { "https://idp.test": () => goTo("https://app.test/back?code=1#end", 302, ["idp=1; Path=/"]) },
    )
    const page = await browser.open("/start")
    expect([page.url.href, page.title]).toEqual(["https://app.test/back?code=1#end", "Home"])
    expect(page.hops.map(({ status }) => status)).toEqual([302, 302, 200])
    expect(requests.at(-1)?.headers.get("cookie")).toBe("flow=1")
    expect(requests.at(-1)?.url).toBe("https://app.test/back?code=1")
  })

  it("shows where it was sent when nobody answers there", async () => {
    const { browser } = visit({ "/start": () => goTo("https://github.com/login?client_id=1") })
    const page = await browser.open("/start")
    expect([page.status, page.url.searchParams.get("client_id")]).toEqual([0, "1"])
    await expect(browser.fetch("https://github.com/")).rejects.toThrow("Nobody answers")
  })

  it("gives up on a circle", async () => {
    const { browser } = visit({ "/start": () => goTo("/start") })
    await expect(browser.open("/start")).rejects.toThrow("More than 20 redirects")
  })

  it.each([
    [301, "GET", ""],
    [302, "GET", ""],
    [303, "GET", ""],
    [307, "POST", "password=secret"],
    [308, "POST", "password=secret"],
  ])("after a %d sends a POST on as %s with %j", async (status, method, sent) => {
    const { browser, requests } = visit({ "/start": () => goTo("/next", status), "/next": () => html("") })
    await browser.open("/start", { body: new URLSearchParams({ password: "secret" }) })
    expect([requests.at(-1)?.method, await requests.at(-1)?.text()]).toEqual([method, sent])
  })

  it("sends a page's own form off by itself", async () => {
    const form =
      '<body onload="document.forms[0].submit()"><form method="post" action="/target"><input name="a" value="1"></form>'
    const { browser, requests } = visit({ "/start": () => html(form), "/target": () => html("there") })
    expect((await browser.open("/start")).text()).toBe("there")
    expect(await requests.at(-1)?.text()).toBe("a=1")
  })

  it("clicks links, and says when there is none", async () => {
    const { browser } = visit({ "/start": () => html('<a id="on" href="next">on</a>'), "/next": () => html("next") })
    await browser.open("/start")
    expect((await browser.click("#on")).text()).toBe("next")
    await expect(browser.click("#on")).rejects.toThrow("no link #on")
  })
})

describe("what goes along with a request", () => {
  it("keeps Lax and Strict cookies from a POST of another site, Strict ones from its link", async () => {
    const { browser, lastHeader } = visit({ "/set": () => goTo("/", 302, setCookies) })
    await browser.open("/set")
    expect(lastHeader("cookie")).toBe("lax=1; none=1; strict=1")
    await browser.open("/", { method: "POST", from: "https://evil.test" })
    expect([lastHeader("cookie"), lastHeader("origin"), lastHeader("sec-fetch-site")]).toEqual([
      "none=1",
      "https://evil.test",
      "cross-site",
    ])
    await browser.open("/", { from: "https://evil.test" })
    expect(lastHeader("cookie")).toBe("lax=1; none=1")
    await browser.fetch("/", { from: "https://evil.test" })
    expect([lastHeader("cookie"), lastHeader("origin")]).toEqual(["none=1", "https://evil.test"])
  })

  it("counts the whole way as cross-site once it led through another site", async () => {
    const { browser, lastHeader } = visit(
      {
        "/set": () => goTo("/", 302, setCookies),
        "/page": () => html('<a href="https://idp.test/">x</a>'),
        "/": () => html(""),
      },
      { "https://idp.test": () => goTo("https://app.test/") },
    )
    await browser.open("/set")
    await browser.open("/page")
    await browser.click("a")
    expect([lastHeader("cookie"), lastHeader("sec-fetch-site")]).toEqual(["lax=1; none=1", "cross-site"])
  })

  it("names the origin with a form, and hides it where the page says so", async () => {
    const form = '<form method="post" action="/target"></form>'
    const { browser, lastHeader } = visit({
      "/plain": () => html(form),
      "/quiet": () => html(form, { "referrer-policy": "no-referrer" }),
      "/meta": () => html(`<meta name="referrer" content="same-origin">${form}`),
      "/target": () => html(""),
    })
    const origins: unknown[] = []
    for (const path of ["/plain", "/quiet", "/meta"]) {
      const page = await browser.open(path)
      await browser.submit(page.form())
      origins.push([lastHeader("origin"), lastHeader("referer"), lastHeader("sec-fetch-site")])
    }
    expect(origins).toEqual([
      ["https://app.test", "https://app.test/plain", "same-origin"],
      ["null", null, "same-origin"],
      ["https://app.test", "https://app.test/meta", "same-origin"],
    ])
  })

  it("sends neither origin nor referrer with an address that was typed", async () => {
    const { browser, lastHeader } = visit({ "/": () => html("") })
    await browser.open("/")
    expect([lastHeader("origin"), lastHeader("referer"), lastHeader("sec-fetch-site")]).toEqual([null, null, "none"])
  })

  it("makes the origin null when a POST was passed on by a stranger", async () => {
    const { browser, lastHeader } = visit(
      { "/target": () => html("") },
      { "https://idp.test": () => goTo("https://app.test/target", 307) },
    )
    await browser.open("https://idp.test/", { method: "POST", from: "https://app.test" })
    expect(lastHeader("origin")).toBe("null")
  })

  it("lets a test word its own headers, and keeps them from other origins", async () => {
    const seen: (string | null)[] = []
    const { browser, lastHeader } = visit(
      { "/start": () => goTo("https://idp.test/") },
      {
        "https://idp.test": ({ headers }) => {
          seen.push(headers.get("x-own"))
          return html("")
        },
      },
    )
    await browser.open("/start", { headers: { cookie: "mine=1", "x-own": "1" } })
    expect([lastHeader("cookie"), lastHeader("x-own"), seen]).toEqual(["mine=1", "1", [null]])
  })
})

describe("forms of a page with a form-action policy", () => {
  it("may not lead where it forbids, not even by a redirect", async () => {
    const { browser } = visit(
      {
        "/page": () =>
          html('<form method="post" action="/go"></form>', { "content-security-policy": "form-action 'self'" }),
        "/go": () => goTo("https://idp.test/authorize"),
      },
      { "https://idp.test": () => html("") },
    )
    const page = await browser.open("/page")
    await expect(browser.submit(page.form())).rejects.toThrow(
      "form-action policy of https://app.test forbids to go to https://idp.test",
    )
  })
})

describe("tabs and cookies", () => {
  it("share the cookies and not the page", async () => {
    const { browser, lastHeader } = visit({
      "/set": () => goTo("/a", 302, ["a=1; Path=/"]),
      "/a": () => html("a"),
      "/b": () => html("b"),
    })
    await browser.open("/set")
    const other = browser.newTab()
    await other.open("/b")
    expect(lastHeader("cookie")).toBe("a=1")
    expect([browser.page?.text(), other.page?.text(), browser.tabs.length]).toEqual(["a", "b", 2])
  })

  it("can be looked at and tampered with", async () => {
    const { browser, lastHeader } = visit({
      "/set": () => goTo("/", 302, ["a=1; Path=/; HttpOnly", "b=2; Path=/; Max-Age=60", "c=3; Domain=evil.test"]),
    })
    await browser.open("/set")
    browser.cookies.set("a", "tampered")
    browser.cookies.set("new", "1")
    await browser.open("/")
    expect(lastHeader("cookie")).toBe("a=tampered; b=2; new=1")
    expect(browser.cookies.find("a")).toMatchObject({ isHttpOnly: true, isHostOnly: true })
    expect(browser.cookies.visibleToScripts()).toBe("b=2")
    expect(browser.cookies.refused).toMatchObject([{ name: "c", reason: "the domain is not the host's" }])
    browser.cookies.endBrowserSession()
    expect(browser.cookies.names()).toEqual(["b"])
    browser.cookies.delete("b")
    expect(browser.cookies.get("b")).toBeUndefined()
  })
})
