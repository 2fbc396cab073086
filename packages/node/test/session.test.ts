import { describe, expect, it } from "vitest"
import { auth as authOf, toNodeHandler } from "../src/index.js"
import { testConfig } from "./config.js"
import { cookiesOf, sendRaw, serve } from "./serve.js"

describe("getSession", () => {
  const requests = async (config: Parameters<typeof toNodeHandler>[0], head: string) => {
    const seen = Promise.withResolvers<unknown>()
    const { port } = await serve((req, res) => {
      seen.resolve(
        authOf(req, res, config)
          .getSession()
          .catch((error: unknown) => error),
      )
      res.end()
    })
    await sendRaw(port, `${head}Connection: close\r\n\r\n`)
    return await seen.promise
  }

  it("CONF-01: throws without a secret", async () => {
    const outcome = await requests(testConfig({ secret: "" }), "GET / HTTP/1.1\r\nHost: app.test\r\n")
    expect(outcome).toMatchObject({ type: "AuthError" })
  })

  it("CONF-01: throws when the host is not trusted", async () => {
    const outcome = await requests(testConfig({ trustHost: false }), "GET / HTTP/1.1\r\nHost: app.test\r\n")
    expect(outcome).toMatchObject({ type: "AuthError" })
  })

  it("HOST-05: throws for an invalid host", async () => {
    const outcome = await requests(testConfig(), "GET / HTTP/1.1\r\nHost: a@b\r\n")
    expect(outcome).toMatchObject({ type: "UntrustedHost" })
  })

  it("returns null when signed out", async () => {
    expect(await requests(testConfig(), "GET / HTTP/1.1\r\nHost: app.test\r\n")).toBeNull()
  })

  it("returns null for a forged cookie", async () => {
    const head = "GET / HTTP/1.1\r\nHost: app.test\r\nCookie: authjs.session-token=forged\r\n"
    expect(await requests(testConfig(), head)).toBeNull()
  })

  it.each([
    ["no secret", { secret: "" }],
    ["an untrusted host", { trustHost: false }],
    ["database sessions without an adapter", { session: { strategy: "database" as const } }],
    [
      "a session that cannot be serialized",
      { callbacks: { session: () => ({ expires: "", user: { id: 7n } }) as never } },
    ],
  ])("CONF-01: throws for a signed-in user with %s", async (name, changes) => {
    const config = testConfig(changes)
    const outcomes: unknown[] = []
    const auth = toNodeHandler(testConfig())
    const { origin } = await serve((req, res) =>
      auth(req, res, async () => {
        outcomes.push(
          await authOf(req, res, config)
            .getSession()
            .catch((error: unknown) => error),
        )
        res.end()
      }),
    )
    const csrf = await fetch(`${origin}/auth/csrf`)
    const { csrfToken } = await csrf.json()
    const body = new URLSearchParams({ csrfToken, password: "right" })
    const init = { method: "POST", headers: { cookie: cookiesOf(csrf) }, body, redirect: "manual" } as const
    const cookie = cookiesOf(await fetch(`${origin}/auth/callback/credentials`, init))
    expect(cookie).toContain("session-token")
    await fetch(`${origin}/`, { headers: { cookie } })
    expect([name, outcomes]).toEqual([name, [expect.objectContaining({ type: "AuthError" })]])
  })
})
