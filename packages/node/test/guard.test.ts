import type { AuthConfig } from "@latchkey/core"
import { AuthError } from "@latchkey/core/errors"
import { publicCaching, testGuard } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { auth as authOf, type NodeRequest, type NodeResponse, toNodeHandler } from "../src/index.js"
import { testConfig } from "./config.js"
import { cookiesOf, serve } from "./serve.js"

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

type Answer = (auth: ReturnType<typeof authOf>, req: NodeRequest, res: NodeResponse) => Promise<unknown>

const routes: Readonly<Record<string, Answer>> = {
  async "/login"(auth, req, res) {
    const fields = { password: req.headers["x-password"] }
    redirect(res, await auth.signIn({ providerId: "credentials", fields }))
  },
  "/leave": async (auth, _, res) => redirect(res, await auth.signOut()),
  "/name": async (auth, _, res) => res.end(JSON.stringify(await auth.updateSession({ name: "Countess" }))),
}

const sendSession: Answer = async (auth, _, res) => {
  const session = await auth.requireAuth()
  if (session) res.end(JSON.stringify(session))
}

function redirect(res: NodeResponse, location: string): void {
  res.statusCode = 303
  res.setHeader("location", location)
  res.end()
}

async function start(changes: Partial<AuthConfig> = {}) {
  const config = testConfig(changes)
  const auth = toNodeHandler(config)
  const { origin } = await serve((req, res) =>
    auth(req, res, async () => {
      const answer = routes[req.url ?? ""] ?? sendSession
      for (const [name, value] of Object.entries(publicCaching)) res.setHeader(name, value)
      await answer(authOf(req, res, config), req, res).catch((error: unknown) => {
        res.writeHead(503).end(error instanceof AuthError ? `${error.type}: ${error.message}` : String(error))
      })
    }),
  )
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(`${origin}${path}`, { method, headers, redirect: "manual" })
  return { origin, ask }
}

describe("requireAuth", () => {
  testGuard({ start, failure: [503, "could not be read"], opensSignInPage: false })

  it.each([
    ["loading a page", html, 303],
    ["accepting any text", { accept: "text/*" }, 303],
    ["accepting anything", { accept: "*/*" }, 401],
    ["accepting JSON", { accept: "application/json" }, 401],
    ["preferring JSON to HTML", { accept: "text/html;q=0.4,application/*;q=0.5" }, 401],
    ["with an invalid quality", { accept: "text/html;q=x" }, 401],
  ])("answers a client %s with the sign-in page or 401", async (_, headers, status) => {
    const { ask } = await start()
    const response = await ask("/private?tab=1", headers)
    expect(response.status).toBe(status)
    const back = status === 303 ? "/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1" : null
    expect(response.headers.get("location")).toBe(back)
  })

  it.each([{}, { pages: { signIn: "/auth/signin" } }])("throws for the sign-in page itself (%j)", async (changes) => {
    const { ask } = await start({ basePath: "/api/auth", ...changes })
    const path = "pages" in changes ? "/auth/signin" : "/api/auth/signin"
    const config = testConfig({ basePath: "/api/auth", ...changes })
    const { origin } = await serve((req, res) =>
      authOf(req, res, config)
        .requireAuth()
        .catch((error: Error) => res.writeHead(503).end(error.message)),
    )
    const response = await fetch(`${origin}${path}`, { headers: html })
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("itself")])
    expect((await ask("/private", html)).status).toBe(303)
  })

  it("returns the session and renews its cookie", async () => {
    const { ask } = await start()
    const cookie = cookiesOf(await ask("/login", { "x-password": "right" }, "POST"))
    const response = await ask("/private", { ...html, cookie })
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } })
    expect(cookiesOf(response)).toContain("authjs.session-token=")
  })
})

describe("signIn, signOut and updateSession", () => {
  it("reject a wrong password", async () => {
    const { ask } = await start()
    const response = await ask("/login", { "x-password": "wrong" }, "POST")
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("CredentialsSignin")])
  })

  it("CSRF-10: reject a form of another site", async () => {
    const { ask } = await start()
    const response = await ask("/login", { "x-password": "right", origin: "https://evil.test" }, "POST")
    expect([response.status, response.headers.getSetCookie()]).toEqual([503, []])
  })

  it("update the session and end it", async () => {
    const { origin, ask } = await start({
      callbacks: { jwt: ({ token, session }) => ({ ...token, ...(session as { name: string } | undefined) }) },
    })
    const cookie = cookiesOf(await ask("/login", { "x-password": "right" }, "POST"))
    const renamed = await ask("/name", { cookie }, "POST")
    expect(await renamed.json()).toMatchObject({ user: { name: "Countess" } })
    const left = await ask("/leave", { cookie: cookiesOf(renamed) }, "POST")
    expect([left.status, left.headers.get("location")]).toEqual([303, `${origin}/`])
    expect(left.headers.getSetCookie().join()).toMatch(/authjs\.session-token=;.*Max-Age=0/)
  })
})
