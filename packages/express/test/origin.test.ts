import { request as sendRequest } from "node:http"
import type { AuthConfig } from "@latchkey/core"
import { memoryAdapter, recordingLogger, testEmail } from "@latchkey/testkit"
import { testOrigin, visitConfig, visitFive, visits } from "@latchkey/testkit/integration"
import type { Request } from "express"
import { afterEach, describe, expect, it, vi } from "vitest"
import { currentSession, ExpressAuth, requireAuth } from "../src/index.js"
import { createBrowser } from "./browser.js"
import { testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "app.test:8443" }

describe.each(expresses)("ExpressAuth in $name", ({ express }) => {
  testOrigin({ start: (config, trust) => serve(express().set("trust proxy", trust).use("/auth", ExpressAuth(config))) })

  it("names the setting in the log if it is missing, and promises visitors nothing", async () => {
    const error = vi.fn()
    const origin = await serve(express().use("/auth", ExpressAuth(testConfig({ logger: { error } }))))
    const headers = { ...forwarded, origin: "https://app.test:8443" }
    const form = new URLSearchParams({ csrfToken: "x" })
    const post = { method: "POST", body: form, headers, redirect: "manual" } as const
    const response = await fetch(`${origin}/auth/callback/credentials`, post)
    expect(error.mock.calls[0]?.[0].message).toContain('write app.set("trust proxy", 1), or set AUTH_URL')
    const cookie = response.headers.getSetCookie().map((line) => line.split(";", 1)[0])
    const page = await fetch(response.headers.get("location") ?? "", { headers: { cookie: cookie.join("; ") } })
    expect(await page.text()).toContain("It came from another address than this site expects.")
  })

  it("inherits trust proxy from the parent app", async () => {
    const inner = express().use("/auth", ExpressAuth(testConfig()))
    const origin = await serve(express().set("trust proxy", true).use("/inner", inner))
    const providers = await (await fetch(`${origin}/inner/auth/providers`, { headers: forwarded })).json()
    expect(providers.credentials.signinUrl).toBe("https://app.test:8443/inner/auth/signin/credentials")
  })

  it("uses the longer path of AUTH_URL if it ends with the mount path", async () => {
    vi.stubEnv("AUTH_URL", "https://public.test/shop/auth")
    const origin = await serve(express().use("/auth", ExpressAuth(testConfig())))
    const providers = await (await fetch(`${origin}/auth/providers`)).json()
    expect(providers.credentials.callbackUrl).toBe("https://public.test/shop/auth/callback/credentials")
  })

  it("uses the mount path if AUTH_URL has another path", async () => {
    vi.stubEnv("AUTH_URL", "https://public.test/elsewhere")
    const origin = await serve(express().use("/auth", ExpressAuth(testConfig())))
    const providers = await (await fetch(`${origin}/auth/providers`)).json()
    expect(providers.credentials.callbackUrl).toBe("https://public.test/auth/callback/credentials")
  })
})

interface Answer {
  readonly status: number | undefined
  readonly text: string
}

/** Sends headers that `fetch` refuses to send. */
function ask(origin: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  const { hostname, port } = new URL(origin)
  const type = { "content-type": "application/x-www-form-urlencoded" }
  const all = { ...headers, ...(body !== undefined && type) }
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST"
    const sent = sendRequest({ hostname, port, path, method, headers: all }, async (answer) => {
      let text = ""
      for await (const piece of answer) text += piece
      resolve({ status: answer.statusCode, text })
    })
    sent.on("error", reject).end(body)
  })
}

describe.each(expresses)("allowedOrigins in $name", ({ express }) => {
  async function serveMail(trust: boolean) {
    const adapter = memoryAdapter()
    const logger = recordingLogger()
    const mails: string[] = []
    const email = { ...testEmail(), sendVerificationRequest: ({ url }: { url: string }) => void mails.push(url) }
    const lazy = { allowedOrigins: [] as string[] }
    const config = () => testConfig({ adapter, providers: [email], logger, ...lazy })
    const origin = await serve(express().set("trust proxy", trust).use("/auth", ExpressAuth(config)))
    lazy.allowedOrigins.push(origin)
    const browser = createBrowser(origin)
    const { csrfToken } = await (await browser.get("/auth/csrf")).json()
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const form = new URLSearchParams({ csrfToken, email: "v@corp.test" }).toString()
    const host = new URL(origin).host
    return { origin, host, cookie, form, adapter, logger, mails }
  }

  it.each([
    ["Host", false],
    ["X-Forwarded-Host", true],
  ])("HOST-03: sends no email for a foreign host in %s", async (header, trust) => {
    const { origin, host, cookie, form, adapter, logger, mails } = await serveMail(trust)
    const headers = { host, cookie, [header.toLowerCase()]: "evil.test" }
    expect(await ask(origin, "/auth/signin/email", headers, form)).toEqual({ status: 400, text: '"Bad request."' })
    expect([mails, adapter.calls, logger.errorTypes()]).toEqual([[], [], ["UntrustedHost"]])
    expect(logger.errors[0]?.message).toContain(`"evil.test" (the header ${header})`)
    expect((await ask(origin, "/auth/signin/email", { host, cookie }, form)).status).toBe(302)
    expect(mails.map((url) => new URL(url).origin)).toEqual([origin])
  })

  it("HOST-03: rejects every request to a guard under another origin", async () => {
    const config = testConfig({ allowedOrigins: ["http://app.test"] })
    const app = express()
      .get("/who", currentSession(config), (_req: Request, res) => void res.json(res.locals["session"]))
      .use(requireAuth(config))
      .use((_req: Request, res) => void res.send("private"))
    const origin = await serve(app.set("env", "test"))
    expect((await ask(origin, "/private", { host: "evil.test" })).status).toBe(500)
    expect((await ask(origin, "/private", { host: "app.test" })).status).toBe(401)
    expect(await ask(origin, "/who", { host: "evil.test" })).toEqual({ status: 200, text: "null" })
  })
})

describe.each(expresses)("the client address in $name", ({ express }) => {
  async function start(trust: unknown, peer?: string, logger = {}) {
    const app = express()
    app.set("trust proxy", trust)
    app.use((req, _res, next) => {
      if (peer) Object.defineProperty(req.socket, "remoteAddress", { value: peer, configurable: true })
      next()
    })
    const origin = await serve(app.use("/auth", ExpressAuth(visitConfig({ logger }))))
    return (forwarded: (index: number) => string) => visitFive(origin, forwarded)
  }

  it("RATE-03: follows the app's trust proxy setting", async () => {
    for (const trust of [1, "loopback"]) {
      const ask = await start(trust)
      expect(await ask((index) => `6.6.6.${index}, 1.2.3.4`)).toEqual(visits.sameAddress)
      expect(await ask((index) => `1.2.4.${index}`)).toEqual(visits.otherAddresses)
    }
  })

  it.each([1, 2, (_: string, hop: number) => hop < 1, () => true, "0.0.0.0/1, 128.0.0.0/1, ::/1", ["128.0.0.0/1"]])(
    "RATE-03: is the socket's for a client that reaches the server directly, with trust proxy %s",
    async (trust) => {
      const ask = await start(trust, "203.0.113.9")
      expect(await ask((index) => `6.6.6.${index}`)).toEqual(visits.sameAddress)
    },
  )

  it("RATE-03: is the forwarded one behind a public proxy that the app names", async () => {
    const ask = await start("203.0.113.0/24", "203.0.113.9")
    expect(await ask((index) => `6.6.6.${index}`)).toEqual(visits.otherAddresses)
    expect(await ask((index) => `6.6.7.${index}, 1.2.3.4`)).toEqual(visits.sameAddress)
  })

  it("RATE-03: may be that of a proxy that the app trusts, without a warning", async () => {
    const warn = vi.fn()
    const ask = await start("loopback", "127.0.0.1", { warn })
    expect(await ask(() => "127.0.0.1")).toEqual(visits.sameAddress)
    expect(warn.mock.calls.filter(([code]) => code.startsWith("proxy"))).toEqual([])
  })

  it.each([
    [true, "proxy-trust-too-wide", 'Write app.set("trust proxy", 1)'],
    [() => true, "proxy-trust-too-wide", 'Write app.set("trust proxy", 1)'],
    [false, "proxy-not-trusted"],
  ])("RATE-08: is unknown with trust proxy %s, and the warning says why", async (trust, ...warning) => {
    const warn = vi.fn()
    const ask = await start(trust, undefined, { warn })
    expect(await ask(() => "1.2.3.4")).toEqual(visits.otherAddresses)
    expect(warn.mock.calls.filter(([code]) => code.startsWith("proxy"))).toEqual([warning])
  })

  it.each([
    ["loopback", "garbage"],
    [1, "unknown"],
    [true, "203.0.113.9"],
    [false, "203.0.113.9"],
  ])("RATE-10: has a budget of its own for guesses with trust proxy %s and %s from the proxy", async (trust, entry) => {
    const rateLimit = { budgets: { failuresPerPeer: { limit: 5, windowSeconds: 60 } } }
    const providers: AuthConfig["providers"] = [
      { id: "cred", name: "Password", type: "credentials", credentials: { u: {}, p: {} }, authorize: () => null },
    ]
    const config = { ...visitConfig({ logger: { error() {}, warn() {} } }), providers, rateLimit }
    const app = express()
    app.set("trust proxy", trust)
    const origin = await serve(app.use("/auth", ExpressAuth(config)))
    const csrf = await fetch(`${origin}/auth/csrf`)
    const { csrfToken } = (await csrf.json()) as { csrfToken: string }
    const cookie = csrf.headers.getSetCookie().map((each) => each.split(";", 1)[0])
    const guess = async (n: number) => {
      const headers = { cookie: cookie.join("; "), "x-forwarded-for": entry }
      const body = new URLSearchParams({ csrfToken, u: `made-up ${n}`, p: "wrong" })
      const answer = await fetch(`${origin}/auth/callback/cred`, { method: "POST", headers, body, redirect: "manual" })
      return answer.status
    }
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) statuses.push(await guess(n))
    expect(statuses).toEqual([302, 302, 302, 302, 302, 429, 429, 429])
  })

  it("RATE-03: may be in a private network behind a proxy", async () => {
    const ask = await start(1)
    expect(await ask(() => "10.1.2.3")).toEqual(visits.sameAddress)
    expect(await ask(() => "10.1.2.4")).toEqual(visits.sameAddress)
  })
})
