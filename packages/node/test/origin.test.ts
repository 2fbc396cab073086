import { type IncomingMessage, request as sendRequest } from "node:http"
import { memoryAdapter, recordingLogger, testEmail } from "@latchkey/testkit"
import { askRaw, testOrigin } from "@latchkey/testkit/integration"
import { afterEach, describe, expect, it, vi } from "vitest"
import { auth as authOf, type NodeHandlerOptions, toNodeHandler } from "../src/index.js"
import { testConfig } from "./config.js"
import { cookiesOf, serve } from "./serve.js"

const secret = "0f9c2ab74d1e83655ac0b9e7d2431f68"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** A configuration without `trustHost`. */
function plainConfig(changes: Parameters<typeof testConfig>[0] = {}) {
  const { trustHost: _, ...config } = testConfig({ secret, ...changes })
  return config
}

describe.each(["jwt", "database"] as const)("AUTH_URL with %s sessions", (strategy) => {
  async function serveMail(url: string, options: NodeHandlerOptions = {}) {
    vi.stubEnv("NODE_ENV", "production")
    vi.stubEnv("AUTH_URL", url)
    const logger = recordingLogger()
    const mails: string[] = []
    const email = { ...testEmail(), sendVerificationRequest: ({ url }: { url: string }) => void mails.push(url) }
    const session = { strategy }
    const config = plainConfig({ adapter: memoryAdapter(), providers: [email], session, logger, rateLimit: false })
    return { ...(await serve(toNodeHandler(config, options))), logger, mails }
  }

  it.each<[string, NodeHandlerOptions, Record<string, string>]>([
    ["HOST-02", {}, { "x-forwarded-host": "evil.test" }],
    ["HOST-02", { trustProxy: true }, { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https" }],
    ["HOST-04", { trustProxy: true }, { "x-forwarded-proto": "http" }],
    ["HOST-04", { trustProxy: true }, { "x-forwarded-proto": "javascript" }],
    ["HOST-04", { trustProxy: true }, { "x-forwarded-proto": "ftp" }],
    ["HOST-04", { trustProxy: true }, { "x-forwarded-proto": "https://evil.test/" }],
    ["HOST-05", { trustProxy: true }, { "x-forwarded-host": "user@evil.test/x?" }],
  ])("%s: sets the origin of links and cookies with %j, regardless of the headers %j", async (_, options, headers) => {
    const { origin, mails } = await serveMail("https://app.test", options)
    const list = await (await fetch(`${origin}/auth/providers`, { headers })).json()
    expect(list.email.callbackUrl).toBe("https://app.test/auth/callback/email")
    const csrf = await fetch(`${origin}/auth/csrf`, { headers })
    const { csrfToken } = await csrf.json()
    const body = new URLSearchParams({ csrfToken, email: "v@corp.test", callbackUrl: "https://evil.test" })
    const cookie = cookiesOf(csrf)
    const init = { method: "POST", headers: { ...headers, cookie }, body, redirect: "manual" } as const
    const asked = await fetch(`${origin}/auth/signin/email`, init)
    expect(asked.headers.get("location")).toBe("https://app.test/auth/verify-request?provider=email&type=email")
    expect(mails.map((url) => new URL(url).origin)).toEqual(["https://app.test"])
    const set = [csrf, asked].flatMap((response) => response.headers.getSetCookie())
    expect(set.length).toBeGreaterThan(0)
    for (const line of set) expect(line).toMatch(/^__(?:Host|Secure)-.*; Secure/)
  })

  it("HOST-10: sets no Secure or prefixed cookies for an http URL, and warns once", async () => {
    const { origin, logger } = await serveMail("http://app.example", { trustProxy: true })
    const headers = { "x-forwarded-proto": "https" }
    for (let time = 0; time < 2; time++) {
      const csrf = await fetch(`${origin}/auth/csrf`, { headers })
      for (const line of csrf.headers.getSetCookie()) expect(line).not.toMatch(/^__|; Secure/)
    }
    expect(logger.warnings).toEqual(["insecure-url"])
  })
})

describe("toNodeHandler", () => {
  testOrigin({
    start: async (config, trustProxy) => (await serve(toNodeHandler(config, { trustProxy }))).origin,
  })
})

describe("a production service without AUTH_URL and trustHost", () => {
  it("MODE-02, HOST-01: rejects every host but that of its own machine", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const logger = recordingLogger()
    const { origin } = await serve(toNodeHandler(plainConfig({ logger })))
    expect((await fetch(`${origin}/auth/signin`)).status).toBe(200)
    expect((await askRaw(origin, "/auth/signin", { host: "evil.test" })).status).toBe(500)
    expect([logger.errorTypes(), logger.warnings]).toEqual([["UntrustedHost"], ["host-unconfigured"]])
    expect(logger.errors[0]?.message).toContain('"evil.test" (the header Host)')
  })

  it.each([{ AUTH_URL: "app.test" }, { AUTH_TRUST_HOST: "false" }])(
    "HOST-01: rejects every request (%j)",
    async (env) => {
      vi.stubEnv("NODE_ENV", "production")
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
      const logger = recordingLogger()
      const { origin } = await serve(toNodeHandler(plainConfig({ logger })))
      const page = await fetch(`${origin}/auth/signin`)
      expect([page.status, page.headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"])
      expect(await page.text()).not.toContain("trustHost")
      const session = await fetch(`${origin}/auth/session`)
      expect([session.status, Object.keys(await session.json())]).toEqual([500, ["message"]])
      expect(logger.errorTypes()).toEqual(["UntrustedHost", "UntrustedHost"])
      expect(logger.errors[0]?.message).toContain(`"${new URL(origin).host}" (the header Host)`)
    },
  )

  it("KEY-01: rejects every request without a secret", async () => {
    vi.stubEnv("NODE_ENV", "production")
    vi.stubEnv("AUTH_SECRET", "")
    const logger = recordingLogger()
    const { secret: _, ...config } = testConfig({ logger })
    const { origin } = await serve(toNodeHandler(config))
    for (const path of ["session", "signin", "csrf"]) {
      const response = await fetch(`${origin}/auth/${path}`)
      expect([response.status, /secret/i.test(await response.text())]).toEqual([500, false])
    }
    expect(logger.errorTypes()).toEqual(Array(3).fill("MissingSecret"))
  })
})

describe("a provider completed from the environment", () => {
  it("KEY-07: gets its client ID from the variables; an invalid provider ID is rejected", async () => {
    vi.stubEnv("AUTH_MY_IDP_ID", "from the environment")
    vi.stubEnv("AUTH_MY_IDP_SECRET", "s3cret of the client")
    vi.stubEnv("AUTH___PROTO___ID", "polluted")
    const provider = {
      name: "Mine",
      type: "oauth" as const,
      authorization: "https://idp.test/a",
      token: "https://idp.test/t",
      userinfo: "https://idp.test/u",
    }
    const { origin } = await serve(toNodeHandler(plainConfig({ providers: [{ ...provider, id: "my-idp" }] })))
    const csrf = await fetch(`${origin}/auth/csrf`)
    const { csrfToken } = await csrf.json()
    const headers = { cookie: cookiesOf(csrf) }
    const init = { method: "POST", headers, body: new URLSearchParams({ csrfToken }), redirect: "manual" } as const
    const begun = await fetch(`${origin}/auth/signin/my-idp`, init)
    expect(new URL(begun.headers.get("location") ?? "").searchParams.get("client_id")).toBe("from the environment")
    const logger = recordingLogger()
    const odd = await serve(toNodeHandler(plainConfig({ providers: [{ ...provider, id: "__proto__" }], logger })))
    expect((await fetch(`${odd.origin}/auth/session`)).status).toBe(500)
    // At the start, and for the request.
    expect(new Set(logger.errorTypes())).toEqual(new Set(["InvalidConfiguration"]))
    expect(Reflect.get({}, "clientId")).toBeUndefined()
  })
})

interface Sent {
  readonly path: string
  readonly headers: Record<string, string>
  readonly form?: Record<string, string>
}

interface Answer {
  readonly status: number | undefined
  readonly text: string
  readonly cookie: string
}

/** Sends headers that `fetch` refuses to send. */
function send(origin: string, { path, headers, form }: Sent): Promise<Answer> {
  const { hostname, port } = new URL(origin)
  const body = form && new URLSearchParams(form).toString()
  const type = { "content-type": "application/x-www-form-urlencoded", "content-length": String(body?.length ?? 0) }
  const method = body === undefined ? "GET" : "POST"
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, method, headers: { ...headers, ...(body !== undefined && type) } }
    sendRequest(options, (answer) => resolve(readAnswer(answer)))
      .on("error", reject)
      .end(body)
  })
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  let text = ""
  for await (const piece of answer) text += piece
  const cookie = (answer.headers["set-cookie"] ?? []).map((line) => line.split(";", 1)[0]).join("; ")
  return { status: answer.statusCode, text, cookie }
}

describe.each(["jwt", "database"] as const)("allowedOrigins on node:http, with %s sessions", (strategy) => {
  async function serveMail(options: NodeHandlerOptions = {}) {
    const adapter = memoryAdapter()
    const logger = recordingLogger()
    const mails: string[] = []
    const email = { ...testEmail(), sendVerificationRequest: ({ url }: { url: string }) => void mails.push(url) }
    const allowedOrigins = ["http://app.test", "https://app.test"]
    const config = testConfig({ adapter, session: { strategy }, providers: [email], logger, allowedOrigins })
    const { origin } = await serve(toNodeHandler(config, options))
    const ask = async (headers: Record<string, string>) => {
      const own = { ...headers, host: "app.test", "x-forwarded-host": "app.test" }
      const { text, cookie } = await send(origin, { path: "/auth/csrf", headers: own })
      const form = { csrfToken: JSON.parse(text).csrfToken, email: "v@corp.test" }
      return await send(origin, { path: "/auth/signin/email", headers: { ...headers, cookie }, form })
    }
    return { ask, adapter, logger, mails }
  }

  it.each([
    [{ host: "evil.test" }, {}, '"evil.test" (the header Host)'],
    [{ host: "app.test.evil.test" }, {}, '"app.test.evil.test" (the header Host)'],
    [{ host: "app.test." }, {}, '"app.test." (the header Host)'],
    [
      { host: "app.test", "x-forwarded-host": "evil.test" },
      { trustProxy: true },
      '"evil.test" (the header X-Forwarded-Host)',
    ],
  ])("HOST-03, HOST-11: sends no email for %j (%j)", async (headers, options, words) => {
    const { ask, adapter, logger, mails } = await serveMail(options)
    expect(await ask(headers)).toMatchObject({ status: 400, text: '"Bad request."', cookie: "" })
    expect([mails, adapter.calls, logger.errorTypes()]).toEqual([[], [], ["UntrustedHost"]])
    expect(logger.errors[0]?.message).toContain(words)
  })

  it("HOST-02, HOST-03: ignores X-Forwarded-Host without a trusted proxy", async () => {
    const { ask, logger, mails } = await serveMail()
    expect((await ask({ host: "app.test", "x-forwarded-host": "evil.test" })).status).toBe(302)
    expect([mails.map((url) => new URL(url).origin), logger.errors]).toEqual([["http://app.test"], []])
  })

  it("HOST-11: sends links to the allowed origin for every spelling of the host", async () => {
    const { ask, mails } = await serveMail({ trustProxy: true })
    const https = { host: "inner", "x-forwarded-proto": "https" }
    for (const host of ["APP.TEST", "app.test:443"]) await ask({ ...https, "x-forwarded-host": host })
    expect(mails.map((url) => new URL(url).origin)).toEqual(["https://app.test", "https://app.test"])
  })

  it("HOST-03: throws in getSession under another origin", async () => {
    const config = testConfig({ allowedOrigins: ["http://app.test"], session: { strategy }, adapter: memoryAdapter() })
    const outcomes: unknown[] = []
    const { origin } = await serve((req, res) => {
      const look = authOf(req, res, config)
        .getSession()
        .then(
          (session) => outcomes.push(session),
          (error: unknown) => outcomes.push(error),
        )
      void look.then(() => res.end())
    })
    await send(origin, { path: "/", headers: { host: "app.test" } })
    await send(origin, { path: "/", headers: { host: "evil.test" } })
    expect(outcomes).toEqual([null, expect.objectContaining({ type: "AuthError" })])
  })
})
