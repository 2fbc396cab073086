import { AuthError } from "@latchkey/core/errors"
import { listen } from "@latchkey/testkit/integration"
import type { NextApiRequest, NextApiResponse } from "next"
import { describe, expect, it, onTestFinished } from "vitest"
import type { NextAuthConfig } from "../src/config.js"
import { NextAuth } from "../src/next-auth.js"
import { createVisitor, right, testConfig } from "./app.js"
import { asPagesRouter } from "./pages-server.js"

const sessionCookie = "authjs.session-token"

/** An app without an `app` folder, on Node's own HTTP. */
async function serve(changes: Partial<NextAuthConfig> = {}) {
  const app = NextAuth(testConfig(changes))
  const routes: Record<string, (request: NextApiRequest, response: NextApiResponse) => Promise<unknown>> = {
    "/api/me": async (request, response) => response.end(JSON.stringify(await app.auth(request, response))),
    "/api/page": async (req, res) => res.end(JSON.stringify(await app.auth({ req, res }))),
  }
  const listener = asPagesRouter(async (request, response) => {
    response.setHeader("set-cookie", "earlier=1")
    const route = routes[request.url ?? ""] ?? app.handlers.pages
    await route(request, response)
  })
  const { origin, close } = await listen(listener)
  onTestFinished(close)
  const visitor = createVisitor()
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      cookie: visitor.headersWith({}).get("cookie") ?? "",
    }
    const answer = await fetch(`${origin}${path}`, { ...init, headers, redirect: "manual" })
    visitor.keep(answer.headers.getSetCookie())
    return answer
  }
  const signIn = async () => {
    const { csrfToken } = await (await ask("/api/auth/csrf")).json()
    const body = new URLSearchParams({ ...right, csrfToken, callbackUrl: "/in" })
    return await ask("/api/auth/callback/credentials", { method: "POST", body })
  }
  return { app, origin, visitor, ask, signIn }
}

describe.each(["/api/me", "/api/page"])("auth in the pages router, %s", (path) => {
  it("is null where nobody is signed in", async () => {
    const { ask } = await serve()
    expect(await (await ask(path)).json()).toBeNull()
  })

  it("gives the session, and renews it on the answer beside earlier cookies", async () => {
    const { ask, signIn, origin } = await serve()
    const signedIn = await signIn()
    expect(signedIn.headers.get("location")).toBe(`${origin}/in`)
    const answer = await ask(path)
    expect(await answer.json()).toMatchObject({ user: { name: "Ada Lovelace" } })
    const [earlier, renewed] = answer.headers.getSetCookie()
    expect(earlier).toBe("earlier=1")
    expect(renewed).toMatch(new RegExp(`^${sessionCookie}=ey`))
  })
})

describe("auth on the edge", () => {
  it("gives the session, and renews it on the answer", async () => {
    const { app, visitor, signIn } = await serve()
    await signIn()
    const response = new Response("answer")
    const headers = visitor.headersWith({ "x-forwarded-proto": "http" })
    const session = await app.auth(new Request("http://localhost:3000/api/me", { headers }), response)
    expect(session?.user?.name).toBe("Ada Lovelace")
    expect(response.headers.getSetCookie()[0]).toMatch(new RegExp(`^${sessionCookie}=ey`))
  })

  it("throws where the service cannot say", async () => {
    const { auth } = NextAuth(testConfig({ secret: [] }))
    const request = new Request("http://localhost/", { headers: { host: "app.test" } })
    await expect(auth(request, new Response())).rejects.toBeInstanceOf(AuthError)
  })
})
