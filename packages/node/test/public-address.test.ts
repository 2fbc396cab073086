import { memoryAdapter, recordingLogger, testEmail } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { getSession, type NodeHandlerOptions, toNodeHandler } from "../src/index.js"
import { testConfig } from "./config.js"
import { serve } from "./serve.js"

const secret = "0f9c2ab74d1e83655ac0b9e7d2431f68"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** A configuration that says nothing of hosts. */
function plainConfig(changes: Parameters<typeof testConfig>[0] = {}) {
  const { trustHost: _, ...config } = testConfig({ secret, ...changes })
  return config
}

const pairsOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ")

describe.each(["jwt", "database"] as const)("a service whose address is configured, with %s sessions", (strategy) => {
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
  ])("%s: with %j is where AUTH_URL says, whatever %j says", async (_, options, headers) => {
    const { origin, mails } = await serveMail("https://app.test", options)
    const list = await (await fetch(`${origin}/auth/providers`, { headers })).json()
    expect(list.email.callbackUrl).toBe("https://app.test/auth/callback/email")
    const csrf = await fetch(`${origin}/auth/csrf`, { headers })
    const { csrfToken } = await csrf.json()
    const body = new URLSearchParams({ csrfToken, email: "v@corp.test", callbackUrl: "https://evil.test" })
    const cookie = pairsOf(csrf)
    const init = { method: "POST", headers: { ...headers, cookie }, body, redirect: "manual" } as const
    const asked = await fetch(`${origin}/auth/signin/email`, init)
    expect(asked.headers.get("location")).toBe("https://app.test/auth/verify-request?provider=email&type=email")
    expect(mails.map((url) => new URL(url).origin)).toEqual(["https://app.test"])
    const set = [csrf, asked].flatMap((response) => response.headers.getSetCookie())
    expect(set.length).toBeGreaterThan(0)
    for (const line of set) expect(line).toMatch(/^__(?:Host|Secure)-.*; Secure/)
  })

  it("HOST-10: has no cookie with a prefix or Secure where that address is http, and warns once", async () => {
    const { origin, logger } = await serveMail("http://app.example", { trustProxy: true })
    const headers = { "x-forwarded-proto": "https" }
    for (let time = 0; time < 2; time++) {
      const csrf = await fetch(`${origin}/auth/csrf`, { headers })
      for (const line of csrf.headers.getSetCookie()) expect(line).not.toMatch(/^__|; Secure/)
    }
    expect(logger.warnings).toEqual(["insecure-url"])
  })
})

describe("in production, a service of which nobody says where it is", () => {
  it.each([{}, { AUTH_URL: "app.test" }, { AUTH_TRUST_HOST: "false" }])(
    "HOST-01: refuses everything (%j)",
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

  it("KEY-01: refuses everything without a secret, too", async () => {
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

describe("a provider that the environment completes", () => {
  it("KEY-07: has the client id of its variables; one of no proper id is refused", async () => {
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
    const headers = { cookie: pairsOf(csrf) }
    const init = { method: "POST", headers, body: new URLSearchParams({ csrfToken }), redirect: "manual" } as const
    const begun = await fetch(`${origin}/auth/signin/my-idp`, init)
    expect(new URL(begun.headers.get("location") ?? "").searchParams.get("client_id")).toBe("from the environment")
    const logger = recordingLogger()
    const odd = await serve(toNodeHandler(plainConfig({ providers: [{ ...provider, id: "__proto__" }], logger })))
    expect((await fetch(`${odd.origin}/auth/session`)).status).toBe(500)
    expect(logger.errorTypes()).toEqual(["InvalidConfiguration"])
    expect(Reflect.get({}, "clientId")).toBeUndefined()
  })
})

describe("getSession", () => {
  it.each([
    ["no secret", { secret: "" }],
    ["no trust in the host", { trustHost: false }],
    ["stored sessions without a store", { session: { strategy: "database" as const } }],
    ["an unwritable session", { callbacks: { session: () => ({ expires: "", user: { id: 7n } }) as never } }],
  ])("CONF-01: throws with %s, and never gives back what could be taken for a session", async (name, changes) => {
    const config = testConfig(changes)
    const outcomes: unknown[] = []
    const auth = toNodeHandler(testConfig())
    const { origin } = await serve((req, res) =>
      auth(req, res, async () => {
        outcomes.push(await getSession(req, config).catch((error: unknown) => error))
        res.end()
      }),
    )
    const csrf = await fetch(`${origin}/auth/csrf`)
    const { csrfToken } = await csrf.json()
    const body = new URLSearchParams({ csrfToken, password: "right" })
    const init = { method: "POST", headers: { cookie: pairsOf(csrf) }, body, redirect: "manual" } as const
    const cookie = pairsOf(await fetch(`${origin}/auth/callback/credentials`, init))
    expect(cookie).toContain("session-token")
    await fetch(`${origin}/`, { headers: { cookie } })
    expect([name, outcomes]).toEqual([name, [expect.objectContaining({ type: "AuthError" })]])
  })
})
