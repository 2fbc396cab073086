import { type AuthConfig, raw } from "@latchkey/core"
import type { LogRecord } from "@latchkey/core/types"
import { afterEach, describe, expect, it, vi } from "vitest"
import { auth as authOf, createNodeListener, resolveOrigin, toListener, toNodeHandler } from "../src/index.js"
import { testConfig } from "./config.js"
import { breaking, cookiesOf, get, sendRaw, serve } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

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
  it("signs in on node:http", async () => {
    const config = testConfig()
    const auth = toNodeHandler(config)
    const { origin } = await serve((req, res) =>
      auth(req, res, async () => {
        res.end(JSON.stringify(await authOf(req, res, config).getSession()))
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

  it("finds the base path in a target in absolute form", async () => {
    const { port } = await serve(toNodeHandler(testConfig()))
    const head = "GET http://app.test/auth/session HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n"
    expect(await sendRaw(port, head)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])("rejects %s", async (method) => {
    const { origin } = await serve(toNodeHandler(testConfig()))
    const response = await fetch(`${origin}/auth/session`, { method })
    expect(response.status).toBe(400)
  })

  it("HOST-05: answers an invalid host with 400 and logs it once", async () => {
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
  ])("resolves the origin with %s", async (_, options, url, expected) => {
    vi.stubEnv("AUTH_URL", url)
    const { origin } = await serve(toNodeHandler(testConfig(), options))
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "app.test" }
    const { credentials } = await (await fetch(`${origin}/auth/providers`, { headers })).json()
    expect(new URL(credentials.signinUrl).origin).toBe(expected(origin))
  })

  it("accepts a function that returns the configuration for a request", async () => {
    const configs = { a: testConfig(), b: testConfig({ providers: [] }) }
    const { origin } = await serve(toNodeHandler((req) => configs[req.headers["x-tenant"] === "b" ? "b" : "a"]))
    const ids = async (tenant: string) =>
      Object.keys(await (await fetch(`${origin}/auth/providers`, { headers: { "x-tenant": tenant } })).json())
    expect(await Promise.all([ids("a"), ids("b"), ids("a")])).toEqual([["credentials"], [], ["credentials"]])
  })

  it("ignores raw in the configuration", async () => {
    const { origin } = await serve(toNodeHandler(testConfig({ raw })))
    expect(await (await fetch(`${origin}/auth/session`)).json()).toBeNull()
  })
})

describe("createNodeListener", () => {
  it("passes an error to next, or answers 500 without its message", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const failure = new Error("a detail for the log")
    const listener = createNodeListener(() => {
      throw failure
    })
    const next = vi.fn()
    const { origin } = await serve(async (req, res) => {
      if (req.url === "/alone") return listener(req, res)
      await listener(req, res, next)
      res.end("from next")
    })
    expect(await (await fetch(`${origin}/`)).text()).toBe("from next")
    expect(next).toHaveBeenCalledExactlyOnceWith(failure)
    const alone = await fetch(`${origin}/alone`)
    expect(alone.status).toBe(500)
    expect(await alone.text()).not.toContain("detail")
    expect(log).toHaveBeenCalledExactlyOnceWith(failure)
  })

  it("resolves when next throws: 400 for an invalid host, else 500", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const listener = toListener(() => Promise.resolve(null))
    const failure = new Error("a detail for the log")
    const { origin, port } = await serve((req, res) =>
      listener(req, res, async () => {
        await Promise.resolve()
        if (req.url === "/junk") resolveOrigin(req, {})
        throw failure
      }),
    )
    const response = await fetch(origin)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain("detail")
    expect(log).toHaveBeenCalledExactlyOnceWith(failure)
    expect(await sendRaw(port, get("/junk").replace("app.test", "a@b"))).toMatch(/^HTTP\/1\.1 400 /)
  })

  it("answers 404 without next", async () => {
    const { origin } = await serve(toListener(() => Promise.resolve(null)))
    expect((await fetch(origin)).status).toBe(404)
  })

  it("closes the connection and logs the error of a failed body without next", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const failure = new Error("store is gone")
    const { origin } = await serve(createNodeListener(() => breaking(failure)))
    await expect(fetch(origin).then((response) => response.text())).rejects.toThrow()
    expect(log).toHaveBeenCalledExactlyOnceWith(failure)
  })

  it("HOST-06: answers each of many parallel requests with its own host", async () => {
    const { port } = await serve(createNodeListener(async ({ url }) => new Response(`<${url}>`)))
    const hosts = Array.from({ length: 40 }, (_, index) => `h${index}.app.test`)
    const answers = await Promise.all(hosts.map((host) => sendRaw(port, get().replace("app.test", host))))
    answers.forEach((answer, index) => {
      expect(answer).toContain(`<http://${hosts[index]}/>`)
    })
  })
})

describe("the log on node:http", () => {
  function recording() {
    const records: LogRecord[] = []
    const error = vi.fn()
    return { records, error, logger: { error, record: (record: LogRecord) => void records.push(record) } }
  }

  it("LOG-01: records a request that is rejected before it reaches the service", async () => {
    const { records, error, logger } = recording()
    const { port } = await serve(toNodeHandler(testConfig({ logger })))
    const head =
      "GET /auth/session HTTP/1.1\r\nHost: user@evil.test\r\nX-Request-Id: req-1\r\nConnection: close\r\n\r\n"
    expect(await sendRaw(port, head)).toMatch(/^HTTP\/1\.1 400 /)
    expect(records).toMatchObject([{ outcome: "failure", kind: "host", error: "UntrustedHost", requestId: "req-1" }])
    expect(error).toHaveBeenCalledOnce()
  })

  it("LOG-01: uses the request ID of the app's logger", async () => {
    const { records, logger } = recording()
    const auth = toNodeHandler(testConfig({ logger }))
    const { origin } = await serve((req, res) => auth(Object.assign(req, { id: "pino-7" }), res))
    await fetch(`${origin}/auth/unheard-of`, { headers: { "x-request-id": "from-outside" } })
    await fetch(`${origin}/auth/unheard-of`)
    expect(records.map(({ requestId }) => requestId)).toEqual(["pino-7", "pino-7"])
  })

  it("LOG-04: writes an invalid host on one line of the console", async () => {
    const lines: string[] = []
    const write = vi.spyOn(console, "error").mockImplementation((...parts) => void lines.push(parts.join(" ")))
    const { port } = await serve(createNodeListener(() => new Response()))
    await sendRaw(port, "GET /x HTTP/1.1\r\nHost: a@b\x01[auth]\r\nConnection: close\r\n\r\n")
    await sendRaw(port, "GET /x HTTP/1.1\r\nHost: a@[auth]\r\nConnection: close\r\n\r\n")
    write.mockRestore()
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect(line).toMatch(/^\[auth\]\[error\] \w+: [^\n\p{Cc}]+ \(reference [0-9A-Z]{4}-[0-9A-Z]{2}\)$/u)
  })
})

/** Three callbacks per minute for each network. */
const rateLimit: NonNullable<AuthConfig["rateLimit"]> = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }

async function start(changes: Partial<AuthConfig> = {}) {
  const secret = `a secret of this test alone: ${crypto.randomUUID()}`
  const warnings: string[] = []
  const logger = { error: () => {}, warn: (code: string) => void warnings.push(code) }
  const client = { clientId: "rp", clientSecret: "the secret of the client" }
  const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", ...client } as const
  const config = testConfig({ secret, rateLimit, logger, providers: [oidc], ...changes })
  const { origin } = await serve(toNodeHandler(config))
  const ask = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}/auth/callback/oidc?code=c`, { headers, redirect: "manual" })
    await response.text()
    return response.status === 429
  }
  return { ask, warnings }
}

async function refusals(ask: (index: number) => Promise<boolean>): Promise<readonly boolean[]> {
  const refused = []
  for (let index = 0; index < 5; index++) refused.push(await ask(index))
  return refused
}

const limited = [false, false, false, true, true]
const open = [false, false, false, false, false]

describe("the client address on node:http", () => {
  it("is passed to the function of createNodeListener", async () => {
    const { origin } = await serve(createNodeListener((_, context) => Response.json(context)))
    expect(await (await fetch(origin)).json()).toEqual({ clientAddress: expect.stringMatching(/127\.0\.0\.1$/) })
  })

  it("RATE-01: is the address of the socket", async () => {
    const { ask, warnings } = await start()
    expect(await refusals(() => ask())).toEqual(limited)
    expect(warnings).toEqual([])
  })

  it("RATE-02: is not read from a header without a trusted proxy, with a warning", async () => {
    const { ask, warnings } = await start({ rateLimit: { budgets: { callback: { limit: 1, windowSeconds: 60 } } } })
    const refused = []
    for (let index = 0; index < 12; index++) refused.push(await ask({ "x-forwarded-for": "6.6.6.6" }))
    expect(refused).toEqual(Array(12).fill(false))
    expect(warnings).toEqual(["proxy-not-trusted"])
  })

  it("RATE-03: is the rightmost forwarded address that is not a trusted proxy", async () => {
    const { ask, warnings } = await start({ trustedProxies: ["127.0.0.0/8", "::1"] })
    expect(await refusals((index) => ask({ "x-forwarded-for": `6.6.6.${index}, 1.2.3.4, 127.0.0.1` }))).toEqual(limited)
    expect(await refusals((index) => ask({ forwarded: `for=6.6.6.${index}, for=1.2.3.5` }))).toEqual(limited)
    expect(await refusals((index) => ask({ "x-forwarded-for": `1.2.3.${index + 10}` }))).toEqual(open)
    expect(warnings).toEqual([])
  })
})
