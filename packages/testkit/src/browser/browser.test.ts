import { describe, expect, it } from "vitest"
import { createBrowser } from "./browser.js"
import type { Handler, Network } from "./navigation.js"

type Responses = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>

function html(body: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { headers: { "content-type": "text/html", ...headers } })
}

function redirect(location: string, status = 302, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location })
  for (const cookie of cookies) headers.append("set-cookie", cookie)
  return new Response(null, { status, headers })
}

/** A browser at an app with these responses, and the requests that the app received. */
function openApp(responses: Responses, network: Network = {}) {
  const requests: Request[] = []
  const handler: Handler = (request) => {
    requests.push(request.clone())
    return responses[new URL(request.url).pathname]?.(request) ?? new Response("nothing", { status: 404 })
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
    const { browser, requests } = openApp(
      {
        "/start": () => redirect("https://idp.test/authorize", 302, ["flow=1; Path=/"]),
        "/back": () => html("<title>Home</title>"),
      },
      { "https://idp.test": () => redirect("https://app.test/back?code=1#end", 302, ["idp=1; Path=/"]) },
    )
    const page = await browser.open("/start")
    expect([page.url.href, page.title]).toEqual(["https://app.test/back?code=1#end", "Home"])
    expect(page.hops.map(({ status }) => status)).toEqual([302, 302, 200])
    expect(requests.at(-1)?.headers.get("cookie")).toBe("flow=1")
    expect(requests.at(-1)?.url).toBe("https://app.test/back?code=1")
  })

  it("stops with status 0 at an origin without a handler", async () => {
    const { browser } = openApp({ "/start": () => redirect("https://github.com/login?client_id=1") })
    const page = await browser.open("/start")
    expect([page.status, page.url.searchParams.get("client_id")]).toEqual([0, "1"])
    await expect(browser.fetch("https://github.com/")).rejects.toThrow("No handler serves https://github.com")
  })

  it("throws on a redirect loop", async () => {
    const { browser } = openApp({ "/start": () => redirect("/start") })
    await expect(browser.open("/start")).rejects.toThrow("More than 20 redirects")
  })

  it.each([
    [301, "GET", ""],
    [302, "GET", ""],
    [303, "GET", ""],
    [307, "POST", "password=secret"],
    [308, "POST", "password=secret"],
  ])("follows a %d after a POST with %s and the body %j", async (status, method, sent) => {
    const { browser, requests } = openApp({ "/start": () => redirect("/next", status), "/next": () => html("") })
    await browser.open("/start", { body: new URLSearchParams({ password: "secret" }) })
    expect([requests.at(-1)?.method, await requests.at(-1)?.text()]).toEqual([method, sent])
  })

  it("submits the form of a self-submitting page", async () => {
    const form =
      '<body onload="document.forms[0].submit()"><form method="post" action="/target"><input name="a" value="1"></form>'
    const { browser, requests } = openApp({ "/start": () => html(form), "/target": () => html("there") })
    expect((await browser.open("/start")).text()).toBe("there")
    expect(await requests.at(-1)?.text()).toBe("a=1")
  })

  it("clicks links, and throws when no link matches", async () => {
    const { browser } = openApp({ "/start": () => html('<a id="on" href="next">on</a>'), "/next": () => html("next") })
    await browser.open("/start")
    expect((await browser.click("#on")).text()).toBe("next")
    await expect(browser.click("#on")).rejects.toThrow("no link #on")
  })
})

describe("request headers and cookies", () => {
  it("withholds Lax and Strict cookies from a cross-site POST, and Strict cookies from a cross-site link", async () => {
    const { browser, lastHeader } = openApp({ "/set": () => redirect("/", 302, setCookies) })
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

  it("treats a redirect chain through another site as cross-site", async () => {
    const { browser, lastHeader } = openApp(
      {
        "/set": () => redirect("/", 302, setCookies),
        "/page": () => html('<a href="https://idp.test/">x</a>'),
        "/": () => html(""),
      },
      { "https://idp.test": () => redirect("https://app.test/") },
    )
    await browser.open("/set")
    await browser.open("/page")
    await browser.click("a")
    expect([lastHeader("cookie"), lastHeader("sec-fetch-site")]).toEqual(["lax=1; none=1", "cross-site"])
  })

  it("sends Origin with a form, and null under the referrer policy no-referrer", async () => {
    const form = '<form method="post" action="/target"></form>'
    const { browser, lastHeader } = openApp({
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

  it("sends neither Origin nor Referer for a typed URL", async () => {
    const { browser, lastHeader } = openApp({ "/": () => html("") })
    await browser.open("/")
    expect([lastHeader("origin"), lastHeader("referer"), lastHeader("sec-fetch-site")]).toEqual([null, null, "none"])
  })

  it("sends Origin: null after another site redirected a POST", async () => {
    const { browser, lastHeader } = openApp(
      { "/target": () => html("") },
      { "https://idp.test": () => redirect("https://app.test/target", 307) },
    )
    await browser.open("https://idp.test/", { method: "POST", from: "https://app.test" })
    expect(lastHeader("origin")).toBe("null")
  })

  it("sends custom headers, and drops them on a redirect to another origin", async () => {
    const seen: (string | null)[] = []
    const { browser, lastHeader } = openApp(
      { "/start": () => redirect("https://idp.test/") },
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

describe("a form-action policy", () => {
  it("blocks a form whose redirect leaves the allowed origins", async () => {
    const { browser } = openApp(
      {
        "/page": () =>
          html('<form method="post" action="/go"></form>', { "content-security-policy": "form-action 'self'" }),
        "/go": () => redirect("https://idp.test/authorize"),
      },
      { "https://idp.test": () => html("") },
    )
    const page = await browser.open("/page")
    await expect(browser.submit(page.form())).rejects.toThrow(
      "form-action policy of https://app.test does not allow https://idp.test",
    )
  })
})

describe("tabs and cookies", () => {
  it("share cookies between tabs, but not the page", async () => {
    const { browser, lastHeader } = openApp({
      "/set": () => redirect("/a", 302, ["a=1; Path=/"]),
      "/a": () => html("a"),
      "/b": () => html("b"),
    })
    await browser.open("/set")
    const other = browser.newTab()
    await other.open("/b")
    expect(lastHeader("cookie")).toBe("a=1")
    expect([browser.page?.text(), other.page?.text(), browser.tabs.length]).toEqual(["a", "b", 2])
  })

  it("let a test inspect and tamper with cookies", async () => {
    const { browser, lastHeader } = openApp({
      "/set": () => redirect("/", 302, ["a=1; Path=/; HttpOnly", "b=2; Path=/; Max-Age=60", "c=3; Domain=evil.test"]),
    })
    await browser.open("/set")
    browser.cookies.set("a", "tampered")
    browser.cookies.set("new", "1")
    await browser.open("/")
    expect(lastHeader("cookie")).toBe("a=tampered; b=2; new=1")
    expect(browser.cookies.find("a")).toMatchObject({ isHttpOnly: true, isHostOnly: true })
    expect(browser.cookies.visibleToScripts()).toBe("b=2")
    expect(browser.cookies.refused).toMatchObject([{ name: "c", reason: "the domain does not match the host" }])
    browser.cookies.endBrowserSession()
    expect(browser.cookies.names()).toEqual(["b"])
    browser.cookies.delete("b")
    expect(browser.cookies.get("b")).toBeUndefined()
  })
})
