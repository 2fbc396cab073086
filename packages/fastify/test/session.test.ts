import { overHttp } from "@latchkey/testkit"
import { takingForms, testFormActions } from "@latchkey/testkit/integration"
import createFastify from "fastify"
import { describe, expect, it } from "vitest"
import { AuthError, authPlugin, getSession } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { serve, visit } from "./serve.js"

const sessionCookie = "authjs.session-token"
const sessionLines = (response: Response) =>
  response.headers.getSetCookie().filter((line) => line.startsWith(sessionCookie))

interface Fields {
  readonly Body: Record<string, string>
}

async function createApp(changes: Parameters<typeof testConfig>[0] = {}) {
  const app = createFastify()
  app.setErrorHandler((error, _request, reply) =>
    reply.code(403).send(error instanceof AuthError ? error.type : String(error)),
  )
  await app.register(authPlugin, testConfig(changes))
  app.post<Fields>("/login", async ({ auth, body }, reply) =>
    reply.redirect(await auth.signIn({ providerId: "credentials", fields: body }), 303),
  )
  app.post("/logout", async ({ auth }, reply) => reply.redirect(await auth.signOut({ redirectTo: "/bye" }), 303))
  app.get("/who", async ({ auth }) => ({ before: auth.session, session: await auth.getSession() }))
  app.get("/begin", async ({ auth }) => auth.signIn({ redirectTo: "/" }))
  app.get("/plain", async () => "plain")
  return app
}

describe("request.auth", () => {
  it("signs in, beginning with the next request", async () => {
    const browser = await visit(await createApp())
    const response = await browser.fetch("/login", { method: "POST", json: right })
    expect([response.status, response.headers.get("location")]).toEqual([303, `${browser.origin}/`])
    expect(await (await browser.fetch("/who")).json()).toMatchObject({ before: null, session: { user: ada } })
  })

  it("keeps the cookies of a sign-in over clearing an invalid cookie of the request", async () => {
    const app = await createApp()
    app.post("/both", async ({ auth }) => {
      await auth.signIn({ providerId: "credentials", fields: right })
      return { session: await auth.getSession() }
    })
    const headers = { cookie: `${sessionCookie}=forged` }
    const response = await app.inject({ method: "POST", url: "/both", headers })
    expect(response.json()).toEqual({ session: null })
    const lines = [response.headers["set-cookie"]].flat().filter((line) => line?.startsWith(sessionCookie))
    expect(lines).toEqual([expect.not.stringContaining("Max-Age=0")])
  })

  it("returns the sign-in page without a provider", async () => {
    const browser = await visit(await createApp())
    expect(await (await browser.fetch("/begin")).text()).toBe(`${browser.origin}/auth/signin?callbackUrl=%2F`)
  })

  it("signs out", async () => {
    const browser = await visit(await createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/logout", { method: "POST" })
    expect(response.headers.get("location")).toBe(`${browser.origin}/bye`)
    expect(await browser.session()).toBeNull()
  })

  it("signs out at the endpoint behind a hook that reads the session", async () => {
    const app = createFastify()
    await app.register(authPlugin, testConfig())
    app.addHook("onRequest", async ({ auth }) => void (await auth.getSession()))
    const browser = await visit(app)
    await browser.signIn("credentials", right)
    expect(await browser.session()).not.toBeNull()
    await browser.signOut()
    expect(await browser.session()).toBeNull()
  })

  it("renews a session only if it was read", async () => {
    const browser = await visit(await createApp())
    await browser.signIn("credentials", right)
    expect(sessionLines(await browser.fetch("/who"))).toHaveLength(1)
    expect(sessionLines(await browser.fetch("/plain"))).toEqual([])
  })

  it("reads the session once for a request", async () => {
    let reads = 0
    const callbacks = { session: <S>({ session }: { session: S }) => ({ ...session, count: ++reads }) }
    const app = await createApp({ callbacks })
    app.get("/", { preHandler: app.authenticate }, async ({ auth }) => [
      await auth.getSession(),
      await auth.getSession(),
    ])
    const browser = await visit(app)
    await browser.signIn("credentials", right)
    reads = 0
    await browser.fetch("/")
    expect(reads).toBe(1)
  })
})

describe("getSession", () => {
  it("returns the session outside the plugin's scope", async () => {
    const config = testConfig()
    const app = createFastify()
    await app.register(async (scope) => void (await scope.register(authPlugin, config)))
    app.get("/", async (request) => ({ session: await getSession(request, () => config) }))
    const browser = await visit(app)
    expect(await (await browser.fetch("/")).json()).toEqual({ session: null })
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/")).json()).toMatchObject({ session: { user: ada } })
  })

  it("CONF-01: throws without a secret", async () => {
    const app = createFastify()
    app.get("/", async (request) => getSession(request, testConfig({ secret: "" })))
    expect((await app.inject("/")).statusCode).toBe(500)
  })
})

describe("request.auth for forms", () => {
  testFormActions(
    async (config, answer) => {
      const app = createFastify()
      app.addContentTypeParser("application/x-www-form-urlencoded", async () => undefined)
      await app.register(authPlugin, config)
      app.all("/form", async ({ auth }, reply) => {
        const { headers, body } = await answer(takingForms(auth))
        for (const line of headers.getSetCookie()) reply.header("set-cookie", line)
        return reply.send(body)
      })
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})
