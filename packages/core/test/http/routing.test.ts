import { Auth, skipCSRFCheck } from "@latchkey/core"
import { memoryAdapter, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask, get, post } from "../setup/requests.js"
import { passwordProvider, pathOf } from "../setup/sign-ins.js"

const base = "https://app.test/auth"
const noStore = { "cache-control": "private, no-cache, no-store", expires: "0", pragma: "no-cache" }

const openFullHost = () =>
  openHost({
    providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider()],
    session: { strategy: "jwt" },
  })

describe("GET /providers", () => {
  it("PAGE-10: lists five public fields by id, in the configured order", async () => {
    const answer = await ask(openFullHost(), "/auth/providers")
    const urls = (id: string) => ({ signinUrl: `${base}/signin/${id}`, callbackUrl: `${base}/callback/${id}` })
    expect(answer.json()).toStrictEqual({
      oidc: { id: "oidc", name: "Test identity provider", type: "oidc", ...urls("oidc") },
      email: { id: "email", name: "Email", type: "email", ...urls("email") },
      cred: { id: "cred", name: "Password", type: "credentials", ...urls("cred") },
    })
    expect(Object.keys(Object(answer.json()))).toEqual(["oidc", "email", "cred"])
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
  })

  it("is an empty object without providers", async () => {
    expect((await ask(openHost({ providers: [] }), "/auth/providers")).json()).toEqual({})
  })

  it("COOK-19: sets no cookie", async () => {
    expect((await ask(openFullHost(), "/auth/providers")).cookies.size).toBe(0)
  })
})

describe("JSON", () => {
  it.each(["csrf", "session", "providers"])(
    "PAGE-10: of GET /%s is nothing but JSON, for no cache and no other origin",
    async (action) => {
      const headers = { origin: "https://evil.test", "access-control-request-method": "GET" }
      const answer = await ask(openFullHost(), `/auth/${action}`, { headers })
      expect(answer.status).toBe(200)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        ...noStore,
        "content-type": "application/json",
        "x-content-type-options": "nosniff",
      })
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([])
    },
  )

  it("is not cached for rejections", async () => {
    const host = openFullHost()
    for (const path of ["/auth/unknown", "/auth/session"]) {
      const answer = await ask(host, path, { json: {} })
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([400, noStore["cache-control"]])
    }
    const broken = await ask(openHost({ secret: "" }), "/auth/session")
    expect([broken.status, broken.headers.get("cache-control")]).toEqual([500, noStore["cache-control"]])
  })
})

describe("redirects", () => {
  it.each([{}, { "x-auth-return-redirect": "1" }])(
    "are kept by no cache, and differ by the header that asks for JSON: %j",
    async (headers) => {
      const host = openFullHost()
      for (const path of ["/auth/signout", "/auth/signin/oidc", "/auth/callback"]) {
        const answer = await post(host.browser, path, {}, { headers })
        expect(Object.fromEntries(answer.headers), path).toMatchObject({
          "cache-control": "no-store",
          vary: "X-Auth-Return-Redirect",
          "x-content-type-options": "nosniff",
        })
      }
    },
  )
})

describe("GET /csrf", () => {
  it("returns a token of 64 hexadecimal digits that is not cached", async () => {
    const answer = await ask(openHost(), "/auth/csrf")
    expect(answer.json()).toEqual({ csrfToken: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(Object.fromEntries(answer.headers)).toMatchObject(noStore)
  })

  it("CSRF-15: is 404 with skipCSRFCheck, and expires a leftover cookie", async () => {
    const host = openHost({ skipCSRFCheck })
    const answer = await ask(host, "/auth/csrf")
    expect([answer.status, answer.text]).toEqual([404, ""])
    const cookie = answer.cookies.get("__Host-authjs.csrf-token")
    expect([cookie?.value, cookie?.attributes[0]]).toEqual(["", "Max-Age=0"])
    expect(host.logger.warnings).toEqual(["csrf-disabled"])
  })
})

describe("GET /session", () => {
  it.each(["jwt", "database"] as const)(
    "COOK-19: is null for a stranger and sets nothing, a hundred times, with %s sessions",
    async (strategy) => {
      const adapter = memoryAdapter()
      const host = openHost({ adapter, session: { strategy } })
      for (let time = 0; time < 100; time++) {
        const answer = await ask(host, "/auth/session")
        expect([answer.status, answer.text, answer.cookies.size]).toEqual([200, "null", 0])
      }
      expect([adapter.calls, host.logger.texts()]).toEqual([[], []])
    },
  )
})

describe("the pages", () => {
  it.each(["signin", "signout", "verify-request", "error"])("GET /%s is HTML", async (page) => {
    const answer = await ask(openFullHost(), `/auth/${page}`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  })

  it.each(["signin", "signout", "verify-request", "error?error=AccessDenied", "style.css"])(
    "HEAD /%s has the status and headers of GET, and neither a body nor a cookie",
    async (page) => {
      const host = openFullHost()
      const [head, shown] = [await ask(host, `/auth/${page}`, { method: "HEAD" }), await ask(host, `/auth/${page}`)]
      const headersOf = ({ headers }: typeof head) => [...headers].filter(([name]) => name !== "set-cookie")
      expect([head.status, headersOf(head)]).toEqual([shown.status, headersOf(shown)])
      expect([head.text, head.cookies.size, shown.text.length > 0]).toEqual(["", 0, true])
      expect(host.logger.errors).toEqual([])
    },
  )

  it("HEAD for the app's own page leads to it, as a redirect in JSON without its body if asked", async () => {
    const host = openHost({ pages: { signIn: "/login" } })
    const head = await ask(host, "/auth/signin", { method: "HEAD" })
    expect([head.status, head.location?.split("?", 1)[0]]).toEqual([302, "/login"])
    const headers = { "x-auth-return-redirect": "1" }
    const json = await ask(host, "/auth/signin", { method: "HEAD", headers })
    expect([json.status, json.headers.get("content-type"), json.text]).toEqual([200, "application/json", ""])
  })

  it.each([
    ["", 200],
    ["?error=Default", 200],
    ["?error=Configuration", 500],
    ["?error=AccessDenied", 403],
    ["?error=Verification", 403],
  ])("GET /error%s has status %i", async (query, status) => {
    const answer = await ask(openHost(), `/auth/error${query}`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"])
  })

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])(
    "PAGE-04: know no error named %s",
    async (error) => {
      const host = openFullHost()
      for (const page of ["error", "signin"]) {
        const odd = await get(host.browser, `/auth/${page}?error=${error}`)
        const unknown = await get(host.browser, `/auth/${page}?error=Unheard`)
        expect([odd.status, odd.text]).toEqual([unknown.status, unknown.text])
        expect(odd.text).toMatch(/<\/html>\s*$/)
        expect(odd.text).not.toMatch(/native code|\[object|undefined/)
      }
      expect(host.logger.errors).toEqual([])
    },
  )
})

describe("unknown requests", () => {
  it.each(["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])("LIM-04: %s is rejected with 400", async (method) => {
    const host = openHost()
    const response = await host.handler(new Request(`${base}/session`, { method }))
    expect([response.status, await response.json()]).toEqual([400, "Bad request."])
    expect(host.logger.errorTypes()).toEqual(["UnknownAction"])
  })

  it.each([
    "/auth",
    "/auth/",
    "/auth/unknown",
    "/auth/Session",
    "/auth/session/oidc",
    "/auth/providers/x",
    "/auth/signin/oidc/x",
    "/auth/%73ession",
    "/auth/session;x",
    "/auth/__proto__",
    "/auth/constructor",
  ])("URL-21: GET %s is rejected with 400", async (path) => {
    const host = openHost()
    const answer = await ask(host, path)
    expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([
      400,
      "application/json",
      '"Bad request."',
    ])
    expect(host.logger.errorTypes()).toEqual(["UnknownAction"])
  })

  it.each(["/auth/unknown", "/auth/", "/auth/session/oidc", "/auth/error?error=UnknownAction"])(
    "a browser gets a page and 404, also for HEAD, for %s",
    async (path) => {
      const { handler } = openHost()
      const load = (method: string) =>
        handler(new Request(`https://app.test${path}`, { method, headers: { accept: "text/html" } }))
      const [shown, head] = [await load("GET"), await load("HEAD")]
      expect([shown.status, head.status]).toEqual([404, 404])
      expect(await shown.text()).toContain("This page does not exist</h1>")
      expect([await head.text(), head.headers.get("content-type")]).toEqual(["", "text/html; charset=utf-8"])
    },
  )

  it("HEAD of a route without a page stays rejected in a browser", async () => {
    const request = new Request(`${base}/session`, { method: "HEAD", headers: { accept: "text/html" } })
    expect((await openHost().handler(request)).status).toBe(400)
  })

  it("a body that does not match its content type is rejected with 400", async () => {
    const host = openHost()
    const headers = { "content-type": "application/json" }
    const response = await host.handler(new Request(`${base}/signout`, { method: "POST", headers, body: "{" }))
    expect([response.status, await response.json()]).toEqual([400, "Bad request."])
  })

  it.each(["providers", "csrf", "error", "verify-request", "webauthn-options"])(
    "POST /%s leads to the error page",
    async (action) => {
      const host = openFullHost()
      const answer = await post(host.browser, `/auth/${action}`)
      expect([answer.status, answer.location]).toEqual([302, `${base}/error?error=Configuration`])
      expect(host.logger.errorTypes()).toEqual(["UnknownAction"])
    },
  )
})

describe("POST /signin", () => {
  it.each(["signin", "signin/cred"])("POST /%s redirects to the sign-in page", async (path) => {
    const answer = await post(openFullHost().browser, `/auth/${path}`)
    expect([answer.status, answer.location]).toEqual([302, `${base}/signin`])
  })

  it("URL-19: always redirects with a status that does not repeat the form", async () => {
    const host = openFullHost()
    const forms = [
      ["signin", {}],
      ["signin/oidc", {}],
      ["signin/email", { email: "v@corp.test" }],
      ["signin/email", { email: "nobody" }],
      ["signin/cred", {}],
      ["signin/unknown", {}],
      ["callback/cred", { u: "v", p: "right" }],
      ["callback/cred", { u: "v", p: "wrong" }],
      ["callback/oidc", {}],
      ["signout", {}],
      ["csrf", {}],
    ] as const
    for (const [path, fields] of forms)
      expect((await post(host.browser, `/auth/${path}`, fields)).status, path).toBe(302)
    const rejected = await ask(host, "/auth/callback/cred", { form: { u: "v", p: "right" } })
    expect(rejected.status).toBe(302)
  })

  it("with an OAuth provider redirects to its authorization endpoint", async () => {
    const answer = await post(openFullHost().browser, "/auth/signin/oidc")
    expect([answer.status, answer.location?.split("?")[0]]).toEqual([302, "https://idp.test/authorize"])
  })

  it("with an email address redirects to the verify-request page", async () => {
    const answer = await post(openFullHost().browser, "/auth/signin/email", { email: "v@corp.test" })
    expect([answer.status, answer.location]).toEqual([302, `${base}/verify-request?provider=email&type=email`])
  })

  it.each(["unknown", "__proto__", "constructor", "..%2fcred", "hasOwnProperty", "%00", "OIDC"])(
    "URL-23, ENUM-05: with the unknown provider %s lists none of those there are",
    async (id) => {
      for (const action of ["signin", "callback"]) {
        const host = openFullHost()
        const answer = await post(host.browser, `/auth/${action}/${id}`)
        expect([answer.status, answer.location, answer.text]).toEqual([302, `${base}/error?error=Configuration`, ""])
        expect(host.logger.errorTypes()).toEqual(["InvalidProvider"])
        expect(host.logger.errors[0]?.message).toBe("No provider has the id in the path")
        const page = await get(host.browser, "/auth/error?error=Configuration")
        expect(page.text).not.toMatch(/cred\b|Test identity provider/)
      }
    },
  )
})

describe("a URL that does not work", () => {
  it.each([
    ["/auth/callback/nope", "This link does not work"],
    ["/auth/callback", "This link does not work"],
    ["/auth/callback/cred", "This link does not work"],
    ["/auth/callback/email", "This link does not work"],
    ["/auth/signin/nope", "This link does not work"],
    ["/auth/signin/oidc", "This link does not work"],
    ["/auth/signin?callbackUrl=javascript:0", "This link does not work"],
    ["/auth/callback/oidc?code=a&state=forged", "This sign-in cannot be completed"],
    ["/auth/callback/oidc?code=a", "This sign-in cannot be completed"],
  ])("such as %s leads to a page that says so, and to the sign-in page", async (path, heading) => {
    const { browser } = openFullHost()
    const page = await browser.open(path)
    expect(page.status).toBe(500)
    expect(page.text()).toContain(heading)
    expect(page.text()).not.toContain("The problem was logged")
    expect(page.find(".button-primary")?.attribute("href")).toBe(`${base}/signin`)
  })
})

describe("GET /signin/undefined", () => {
  it("redirects to the sign-in page with its query, like the POST of the published clients", async () => {
    const host = openFullHost()
    const answer = await get(host.browser, "/auth/signin/undefined?callbackUrl=%2Fx")
    expect([answer.status, answer.location]).toEqual([302, `${base}/signin?callbackUrl=%2Fx`])
    expect(host.logger.errors).toEqual([])
  })
})

describe("GET /signin/<id>", () => {
  it.each(["oidc", "email", "cred"])("CSRF-09: starts no sign-in for %s", async (id) => {
    const host = openFullHost()
    const answer = await get(host.browser, `/auth/signin/${id}`)
    expect([answer.status, answer.location]).toEqual([302, `${base}/error?error=Configuration`])
    expect([...answer.cookies.keys()]).toEqual(["__Secure-authjs.error-reference"])
    expect(host.logger.errorTypes()).toEqual(["UnknownAction"])
  })
})

describe("/callback", () => {
  it.each([
    ["GET", "callback"],
    ["GET", "callback/unknown"],
    ["GET", "callback/cred?u=v&p=right"],
    ["POST", "callback"],
    ["POST", "callback/oidc"],
  ] as const)("OAU-19, CRED-04: %s /%s leads to the error page", async (method, path) => {
    const host = openFullHost()
    const answer = await (method === "GET" ? get : post)(host.browser, `/auth/${path}`)
    expect([answer.status, answer.location]).toEqual([302, `${base}/error?error=Configuration`])
    expect(host.logger.errorTypes()).toEqual(["InvalidProvider"])
    expect(host.logger.texts().join()).not.toContain("right")
  })

  it("POST /callback/<credentials> redirects to the callback URL", async () => {
    const answer = await post(openFullHost().browser, "/auth/callback/cred", { u: "v", p: "right", callbackUrl: "/in" })
    expect([answer.status, answer.location]).toEqual([302, "https://app.test/in"])
  })
})

describe("POST /signout", () => {
  it("redirects to the callback URL, without an event if there is no session", async () => {
    const host = openHost()
    const answer = await post(host.browser, "/auth/signout", { callbackUrl: "/bye" })
    expect([answer.status, answer.location]).toEqual([302, "https://app.test/bye"])
    expect(host.events.names()).toEqual([])
  })
})

describe("the base path", () => {
  it.each([
    ["the default", undefined, "/auth"],
    ["another one", "/api/auth", "/api/auth"],
    ["one with a trailing slash", "/api/auth/", "/api/auth"],
    ["a nested one", "/a/b/c", "/a/b/c"],
    ["the root", "/", ""],
    ["one that looks like a pattern", "/a.(th", "/a.(th"],
    ["one that would be a slow pattern", "/(a+)+$", "/(a+)+$"],
  ])("URL-22: is %s", async (_, basePath, prefix) => {
    const host = openHost(basePath === undefined ? {} : { basePath })
    const answer = await ask(host, `${prefix}/providers`)
    expect(answer.json()).toMatchObject({ oidc: { callbackUrl: `https://app.test${prefix}/callback/oidc` } })
    await host.browser.signIn("oidc", { callbackUrl: "/in" })
    expect(host.idp.requests.authorization[0]?.params.get("redirect_uri")).toBe(
      `https://app.test${prefix}/callback/oidc`,
    )
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
  })

  it.each(["/auth/session/", "/auth//session", "/auth/session//"])(
    "URL-21: empty segments of %s are dropped, as the contract says",
    async (path) => {
      expect((await ask(openHost(), path)).text).toBe("null")
    },
  )

  it("URL-21: a dot segment never reaches the service, because URLs are normalized", async () => {
    for (const path of ["/auth/./session", "/auth/x/../session", "/auth/%2e/session"]) {
      expect(new URL(`${base.slice(0, -5)}${path}`).pathname).toBe("/auth/session")
      expect((await ask(openHost(), path)).text).toBe("null")
    }
  })

  it.each([
    ["URL-21", "/auth", "/authsession"],
    ["URL-21", "/auth", "/AUTH/session"],
    ["URL-21", "/auth", "/session"],
    ["URL-21", "/auth", "/x/auth/session"],
    ["URL-22", "/a.th", "/aXth/session"],
    ["URL-22", "/a(b", "/ab/session"],
    ["URL-22", "/(a|b)+", "/a/session"],
    ["URL-22", "/[", "/auth/session"],
  ])("%s: of %s, %s is outside", async (_, basePath, path) => {
    const { config, logger } = openHost({ basePath })
    const response = await Auth(new Request(`https://app.test${path}`), config)
    expect([response.status, await response.json()]).toEqual([400, "Bad request."])
    expect(logger.errorTypes()).toEqual(["UnknownAction"])
  })

  it("applies to error pages", async () => {
    const answer = await get(openHost({ basePath: "/api/auth" }).browser, "/api/auth/callback")
    expect(pathOf(answer.location)).toBe("/api/auth/error?error=Configuration")
  })
})
