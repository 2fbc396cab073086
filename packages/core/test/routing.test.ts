import { skipCSRFCheck } from "@latchkey/core"
import { testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { ask, get, post } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider, pathOf } from "./sign-ins.js"

const base = "https://app.test/auth"
const noStore = { "cache-control": "private, no-cache, no-store", expires: "0", pragma: "no-cache" }

const openFullHost = () =>
  openHost({
    providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider()],
    session: { strategy: "jwt" },
  })

describe("GET /providers", () => {
  it("lists five public fields by id, in the configured order (PAGE-10)", async () => {
    const answer = await ask(openFullHost(), "/auth/providers")
    const urls = (id: string) => ({ signinUrl: `${base}/signin/${id}`, callbackUrl: `${base}/callback/${id}` })
    expect(answer.json()).toStrictEqual({
      oidc: { id: "oidc", name: "Test identity provider", type: "oidc", ...urls("oidc") },
      email: { id: "email", name: "Email", type: "email", ...urls("email") },
      cred: { id: "cred", name: "Password", type: "credentials", ...urls("cred") },
    })
    expect(Object.keys(Object(answer.json()))).toEqual(["oidc", "email", "cred"])
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
  })

  it("is an empty object without providers", async () => {
    expect((await ask(openHost({ providers: [] }), "/auth/providers")).json()).toEqual({})
  })

  it("sets no cookie (COOK-19)", async () => {
    expect((await ask(openFullHost(), "/auth/providers")).cookies.size).toBe(0)
  })
})

describe("GET /csrf", () => {
  it("answers a token of 64 hexadecimal digits that no cache keeps", async () => {
    const answer = await ask(openHost(), "/auth/csrf")
    expect(answer.json()).toEqual({ csrfToken: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(Object.fromEntries(answer.headers)).toMatchObject(noStore)
  })

  it("is 404 where the framework protects its forms, and expires what is left of the cookie (CSRF-15)", async () => {
    const host = openHost({ skipCSRFCheck })
    const answer = await ask(host, "/auth/csrf")
    expect([answer.status, answer.text]).toEqual([404, ""])
    const cookie = answer.cookies.get("__Host-authjs.csrf-token")
    expect([cookie?.value, cookie?.attributes[0]]).toEqual(["", "Max-Age=0"])
    expect(host.logger.warnings).toEqual(["csrf-disabled"])
  })
})

describe("GET /session", () => {
  it("is null for a stranger, sets nothing and is kept by no cache (COOK-19)", async () => {
    const answer = await ask(openHost(), "/auth/session")
    expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([200, "application/json", "null"])
    expect(Object.fromEntries(answer.headers)).toMatchObject(noStore)
    expect(answer.cookies.size).toBe(0)
  })
})

describe("the pages", () => {
  it.each(["signin", "signout", "verify-request", "error"])("GET /%s is HTML", async (page) => {
    const answer = await ask(openFullHost(), `/auth/${page}`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  })

  it.each([
    ["", 200],
    ["?error=Default", 200],
    ["?error=__proto__", 200],
    ["?error=Configuration", 500],
    ["?error=AccessDenied", 403],
    ["?error=Verification", 403],
  ])("GET /error%s has status %i (PAGE-04)", async (query, status) => {
    const answer = await ask(openHost(), `/auth/error${query}`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"])
  })
})

describe("requests that nothing answers", () => {
  it.each(["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])("%s is refused with 400 (LIM-04)", async (method) => {
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
  ])("GET %s is refused with 400 (URL-21)", async (path) => {
    const host = openHost()
    const answer = await ask(host, path)
    expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([
      400,
      "application/json",
      '"Bad request."',
    ])
    expect(host.logger.errorTypes()).toEqual(["UnknownAction"])
  })

  it("a body that is not what its type says is 400", async () => {
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
  it.each(["signin", "signin/cred"])("POST /%s leads to the sign-in page", async (path) => {
    const answer = await post(openFullHost().browser, `/auth/${path}`)
    expect([answer.status, answer.location]).toEqual([302, `${base}/signin`])
  })

  it("with a provider leads to its authorization endpoint (URL-19)", async () => {
    const answer = await post(openFullHost().browser, "/auth/signin/oidc")
    expect([answer.status, answer.location?.split("?")[0]]).toEqual([302, "https://idp.test/authorize"])
  })

  it("with an address leads to the page that asks to look into the mailbox", async () => {
    const answer = await post(openFullHost().browser, "/auth/signin/email", { email: "v@corp.test" })
    expect([answer.status, answer.location]).toEqual([302, `${base}/verify-request?provider=email&type=email`])
  })

  it.each(["unknown", "__proto__", "constructor", "undefined", "..%2fcred"])(
    "with the unknown provider %s lists none of those there are (URL-23, ENUM-05)",
    async (id) => {
      const host = openFullHost()
      const answer = await post(host.browser, `/auth/signin/${id}`)
      expect([answer.status, answer.location]).toEqual([302, `${base}/error?error=Configuration`])
      expect(answer.text).toBe("")
      expect(host.logger.errorTypes()).toEqual(["InvalidProvider"])
    },
  )
})

describe("GET /signin/<id>", () => {
  it.each(["oidc", "email", "cred"])("starts no flow for %s (CSRF-09)", async (id) => {
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
    ["POST", "callback/email"],
  ] as const)("%s /%s leads to the error page (OAU-19, CRED-04)", async (method, path) => {
    const host = openFullHost()
    const answer = await (method === "GET" ? get : post)(host.browser, `/auth/${path}`)
    expect([answer.status, answer.location]).toEqual([302, `${base}/error?error=Configuration`])
    expect(host.logger.errorTypes()).toEqual(["InvalidProvider"])
    expect(host.logger.texts().join()).not.toContain("right")
  })

  it("POST /callback/<credentials> leads to the callback URL", async () => {
    const answer = await post(openFullHost().browser, "/auth/callback/cred", { u: "v", p: "right", callbackUrl: "/in" })
    expect([answer.status, answer.location]).toEqual([302, "https://app.test/in"])
  })
})

describe("POST /signout", () => {
  it("leads to the callback URL, and tells nobody when there is no session", async () => {
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
  ])("is %s (URL-22)", async (_, basePath, prefix) => {
    const host = openHost(basePath === undefined ? {} : { basePath })
    const answer = await ask(host, `${prefix}/providers`)
    expect(answer.json()).toMatchObject({ oidc: { callbackUrl: `https://app.test${prefix}/callback/oidc` } })
    await host.browser.signIn("oidc", { callbackUrl: "/in" })
    expect(host.idp.requests.authorization[0]?.params.get("redirect_uri")).toBe(
      `https://app.test${prefix}/callback/oidc`,
    )
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
  })

  it.each(["/auth/session/", "/auth//session", "/auth/./session"])("empty segments of %s are dropped", async (path) => {
    expect((await ask(openHost(), path)).text).toBe("null")
  })

  it.each(["/authsession", "/aXth/session", "/AUTH/session", "/session"])(
    "%s is outside of it (URL-21, URL-22)",
    async (path) => {
      const { config } = openHost({ basePath: path === "/aXth/session" ? "/a.th" : "/auth" })
      const { Auth } = await import("@latchkey/core")
      const response = await Auth(new Request(`https://app.test${path}`), config)
      expect([response.status, await response.json()]).toEqual([400, "Bad request."])
    },
  )

  it("carries over to where errors end", async () => {
    const answer = await get(openHost({ basePath: "/api/auth" }).browser, "/api/auth/callback")
    expect(pathOf(answer.location)).toBe("/api/auth/error?error=Configuration")
  })
})
