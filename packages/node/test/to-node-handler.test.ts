import { raw } from "@latchkey/core"
import { afterEach, describe, expect, it, vi } from "vitest"
import { getSession, toNodeHandler } from "../src/index.js"
import { testConfig } from "./config.js"
import { sendRaw, serve } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Cookies of an answer, as a request brings them back. */
const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ")

async function signIn(origin: string): Promise<string> {
  const csrf = await fetch(`${origin}/auth/csrf`)
  const { csrfToken } = await csrf.json()
  const response = await fetch(`${origin}/auth/callback/credentials`, {
    method: "POST",
    headers: { cookie: cookiesOf(csrf), origin },
    body: new URLSearchParams({ csrfToken, password: "right" }),
    redirect: "manual",
  })
  expect(response.status).toBe(302)
  return cookiesOf(response)
}

describe("toNodeHandler", () => {
  it("signs in on node:http, and getSession knows who it is", async () => {
    const config = testConfig()
    const auth = toNodeHandler(config)
    const { origin } = await serve((req, res) =>
      auth(req, res, async () => {
        res.end(JSON.stringify(await getSession(req, config)))
      }),
    )
    expect(await (await fetch(`${origin}/`)).json()).toBeNull()
    const cookie = await signIn(origin)
    expect(await (await fetch(`${origin}/`, { headers: { cookie } })).json()).toMatchObject({ user: { name: "Ada" } })
    expect(await (await fetch(`${origin}/auth/session`, { headers: { cookie } })).json()).toMatchObject({
      user: { name: "Ada" },
    })
  })

  it("answers 404 outside the base path, compared by whole segments", async () => {
    const { origin } = await serve(toNodeHandler(testConfig({ basePath: "/api/auth" })))
    expect((await fetch(`${origin}/api/auth/session`)).status).toBe(200)
    for (const path of ["/", "/auth/session", "/api/authsession", "/API/auth/session", "/x/api/auth/session"]) {
      expect((await fetch(`${origin}${path}`)).status, path).toBe(404)
    }
  })

  it("knows the base path in a target of absolute form", async () => {
    const { port } = await serve(toNodeHandler(testConfig()))
    const head = "GET http://app.test/auth/session HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n"
    expect(await sendRaw(port, head)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])("refuses %s", async (method) => {
    const { origin } = await serve(toNodeHandler(testConfig()))
    const response = await fetch(`${origin}/auth/session`, { method })
    expect(response.status).toBe(400)
  })

  it("HOST-05: answers 400 for a junk host, logs it once, and never throws", async () => {
    const error = vi.fn()
    const { port } = await serve(toNodeHandler(testConfig({ logger: { error } })))
    const answer = await sendRaw(port, "GET /auth/session HTTP/1.1\r\nHost: a@b\r\nConnection: close\r\n\r\n")
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type: "UntrustedHost" }))
  })

  it.each([
    ["no trust", {}, undefined, (origin: string) => origin],
    ["trusted proxies", { trustProxy: true }, undefined, () => "https://app.test"],
    ["AUTH_URL", { trustProxy: true }, "https://public.test", () => "https://public.test"],
  ])("takes the origin as %s wants it", async (_, options, url, expected) => {
    vi.stubEnv("AUTH_URL", url)
    const { origin } = await serve(toNodeHandler(testConfig(), options))
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "app.test" }
    const { credentials } = await (await fetch(`${origin}/auth/providers`, { headers })).json()
    expect(new URL(credentials.signinUrl).origin).toBe(expected(origin))
  })

  it("may be configured for each request", async () => {
    const configs = { a: testConfig(), b: testConfig({ providers: [] }) }
    const { origin } = await serve(toNodeHandler((req) => configs[req.headers["x-tenant"] === "b" ? "b" : "a"]))
    const ids = async (tenant: string) =>
      Object.keys(await (await fetch(`${origin}/auth/providers`, { headers: { "x-tenant": tenant } })).json())
    expect(await Promise.all([ids("a"), ids("b"), ids("a")])).toEqual([["credentials"], [], ["credentials"]])
  })

  it("answers with a Response though a configuration asks for raw answers", async () => {
    const { origin } = await serve(toNodeHandler(testConfig({ raw })))
    expect(await (await fetch(`${origin}/auth/session`)).json()).toBeNull()
  })
})

describe("getSession", () => {
  const requests = async (config: Parameters<typeof toNodeHandler>[0], head: string) => {
    const seen = Promise.withResolvers<unknown>()
    const { port } = await serve((req, res) => {
      seen.resolve(getSession(req, config).catch((error: unknown) => error))
      res.end()
    })
    await sendRaw(port, `${head}Connection: close\r\n\r\n`)
    return await seen.promise
  }

  it("CONF-01: throws when the service is misconfigured: never a session, never a quiet null", async () => {
    const outcome = await requests(testConfig({ secret: "" }), "GET / HTTP/1.1\r\nHost: app.test\r\n")
    expect(outcome).toMatchObject({ type: "AuthError" })
  })

  it("CONF-01: throws when the host is not trusted", async () => {
    const outcome = await requests(testConfig({ trustHost: false }), "GET / HTTP/1.1\r\nHost: app.test\r\n")
    expect(outcome).toMatchObject({ type: "AuthError" })
  })

  it("HOST-05: throws for a junk host", async () => {
    const outcome = await requests(testConfig(), "GET / HTTP/1.1\r\nHost: a@b\r\n")
    expect(outcome).toMatchObject({ type: "UntrustedHost" })
  })

  it("is null for who is not signed in", async () => {
    expect(await requests(testConfig(), "GET / HTTP/1.1\r\nHost: app.test\r\n")).toBeNull()
  })

  it("is null for a forged cookie", async () => {
    const head = "GET / HTTP/1.1\r\nHost: app.test\r\nCookie: authjs.session-token=forged\r\n"
    expect(await requests(testConfig(), head)).toBeNull()
  })
})
