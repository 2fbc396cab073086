import { Auth, setEnvDefaults } from "@latchkey/core"
import type { AuthConfig } from "@latchkey/core/types"
import { recordingLogger } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { passwordProvider } from "../setup/sign-ins.js"

const production = { NODE_ENV: "production", AUTH_SECRET: "a secret of at least thirty-two characters" }
const overHttps = { "sec-fetch-site": "none", accept: "text/html" }

/** An app as its server sees it, with the origin of `AUTH_URL`. */
function open(AUTH_URL: string, changes: Partial<AuthConfig> = {}) {
  const logger = recordingLogger()
  const config: AuthConfig = { providers: [passwordProvider()], logger, ...changes }
  setEnvDefaults({ ...production, AUTH_URL }, config)
  const { origin } = new URL(AUTH_URL)
  return {
    logger,
    ask: (path: string, headers: Record<string, string> = {}, body?: URLSearchParams) =>
      Auth(new Request(`${origin}${path}`, { headers, ...(body && { method: "POST", body }) }), config),
  }
}

describe("a page that the browser opens over https while AUTH_URL begins with http", () => {
  it("has its style and forms at paths, which its policy allows, and says what it was built for", async () => {
    const { ask, logger } = open("http://app.test")
    const page = await (await ask("/auth/signin", overHttps)).text()
    expect(page).toContain('<link rel="stylesheet" href="/auth/style.css?v=')
    expect(page).toContain('action="/auth/callback/cred"')
    expect(page).not.toMatch(/(?:href|action|src)="http:/)
    expect(page).toContain("This page was built for http://app.test, but your browser opened it over https.")
    expect(logger.warnings).toContain("address-mismatch")
    expect(logger.warningDetails).toContain("AUTH_URL is http://app.test, but browsers open its pages over https")
  })

  it("keeps the absolute addresses of the contract for browsers that use http, whoever asked before", async () => {
    const { ask } = open("http://app.test")
    await ask("/auth/signin", overHttps)
    const page = await (await ask("/auth/signin")).text()
    expect(page).toContain('action="http://app.test/auth/callback/cred"')
    expect(page).not.toContain("This page was built for")
  })

  it("CSRF-05: refuses its form, and shows the error where the browser may go", async () => {
    const { ask, logger } = open("http://app.test")
    const headers = { origin: "https://app.test" }
    const { status, headers: sent } = await ask("/auth/callback/cred", headers, new URLSearchParams({ a: "b" }))
    expect([status, sent.get("location")]).toEqual([302, "/auth/signin?error=MissingCSRF"])
    expect(logger.errors[0]?.message).toContain("If AUTH_URL is set, correct it")
  })

  it("keeps the absolute address for other sites, and for scripts that parse it", async () => {
    const { ask } = open("http://app.test")
    const form = () => new URLSearchParams({ a: "b" })
    const foreign = await ask("/auth/callback/cred", { origin: "https://evil.test" }, form())
    expect(foreign.headers.get("location")).toBe("http://app.test/auth/signin?error=MissingCSRF")
    const script = { origin: "https://app.test", "x-auth-return-redirect": "1" }
    const answer = await (await ask("/auth/callback/cred", script, form())).json()
    expect(answer.url).toBe("http://app.test/auth/signin?error=MissingCSRF")
  })
})

describe("a page at another host than AUTH_URL", () => {
  it("logs that AUTH_URL has another host", async () => {
    const { ask, logger } = open("https://other.test")
    await ask("/auth/signin", { host: "app.test" })
    expect(logger.warningDetails).toEqual([
      "AUTH_URL is https://other.test, but browsers open its pages at another host",
    ])
  })

  it("logs nothing at the host of AUTH_URL, and behind a proxy that replaces Host", async () => {
    const { ask, logger } = open("https://app.test")
    await ask("/auth/signin", { host: "app.test", ...overHttps })
    await ask("/auth/signin", { host: "inner:3000", "x-forwarded-for": "1.2.3.4", ...overHttps })
    expect(logger.warnings).toEqual([])
  })
})

describe("a request outside of the path of AUTH_URL", () => {
  it("logs the base path, and where it comes from", async () => {
    const { ask, logger } = open("https://app.test/dashboard")
    await ask("/api/auth/signin")
    expect(logger.errors[0]?.message).toBe(
      'The path is outside the base path, /dashboard, but fits basePath: "/api/auth". Correct basePath, else the path of AUTH_URL',
    )
  })
})
