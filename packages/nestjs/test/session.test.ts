import { overHttp } from "@latchkey/testkit"
import { takingForms, testFormActions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { AuthError, AuthModule } from "../src/index.js"
import { createApp, createSessionController, platforms, type Route, serve, visit } from "./app.js"
import { ada, right, testConfig } from "./config.js"

const sessionCookie = "authjs.session-token"
const sessionLines = (response: Response) =>
  response.headers.getSetCookie().filter((line) => line.startsWith(sessionCookie))
const namesOf = (response: Response) => response.headers.getSetCookie().map((line) => line.split("=", 1)[0])

/** A route that answers an AuthError with 403 and its type. */
function route(path: string, handle: Route["handle"]): Route {
  return {
    path,
    method: "ALL",
    async handle(given) {
      given.reply.status(200)
      try {
        return await handle(given)
      } catch (error) {
        given.reply.status(403)
        return error instanceof AuthError ? error.type : String(error)
      }
    },
  }
}

const routes: readonly Route[] = [
  route("login", async ({ auth, body, reply }) => {
    reply
      .header("location", await auth.signIn({ providerId: "credentials", fields: body }))
      .status(303)
      .send()
  }),
  route("logout", async ({ auth, reply }) => {
    reply
      .header("location", await auth.signOut({ redirectTo: "/bye" }))
      .status(303)
      .send()
  }),
  route("both", async ({ auth }) => {
    await auth.signIn({ providerId: "credentials", fields: right })
    return { session: await auth.getSession() }
  }),
  route("fail", async ({ auth }) => {
    await auth.signOut()
    throw new Error("after the sign-out")
  }),
  route("who", async ({ auth }) => ({ before: auth.session, session: await auth.getSession() })),
  route("begin", async ({ auth }) => auth.signIn({ redirectTo: "/" })),
  route("plain", () => "plain"),
  route("own-cookie", async ({ auth, reply }) => {
    reply.header("set-cookie", "own=1")
    return { session: await auth.getSession() }
  }),
]

describe.each(platforms)("@CurrentAuth in $name", ({ createAdapter }) => {
  const createTestApp = (config = testConfig()) =>
    createApp(createAdapter(), { auth: AuthModule.forRoot(config), routes })

  it("signs in, beginning with the next request", async () => {
    const browser = await visit(await createTestApp())
    const response = await browser.fetch("/login", { method: "POST", json: right })
    expect([response.status, response.headers.get("location")]).toEqual([303, `${browser.origin}/`])
    expect(await (await browser.fetch("/who")).json()).toMatchObject({ before: null, session: { user: ada } })
  })

  it("keeps the cookies of a sign-in over clearing an invalid cookie of the request", async () => {
    const headers = { cookie: `${sessionCookie}=forged` }
    const response = await fetch(`${await serve(await createTestApp())}/both`, { method: "POST", headers })
    expect(await response.json()).toEqual({ session: null })
    expect(sessionLines(response)).toEqual([expect.not.stringContaining("Max-Age=0")])
  })

  it("returns the sign-in page without a provider", async () => {
    const browser = await visit(await createTestApp())
    expect(await (await browser.fetch("/begin")).text()).toBe(`${browser.origin}/auth/signin?callbackUrl=%2F`)
  })

  it("signs out", async () => {
    const browser = await visit(await createTestApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/logout", { method: "POST" })
    expect(response.headers.get("location")).toBe(`${browser.origin}/bye`)
    expect(await browser.session()).toBeNull()
  })

  it("keeps the cookies of a sign-out when the handler fails afterwards", async () => {
    const browser = await visit(await createTestApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/fail", { method: "POST" })
    expect([response.status, await response.text()]).toEqual([403, "Error: after the sign-out"])
    expect(await browser.session()).toBeNull()
  })

  it("keeps the cookies of the app, each in a header of its own", async () => {
    const browser = await visit(await createTestApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/own-cookie")
    expect(namesOf(response)).toEqual(["own", sessionCookie])
    expect(await browser.session()).toMatchObject({ user: ada })
  })

  it("renews a session only if it was read", async () => {
    const browser = await visit(await createTestApp())
    await browser.signIn("credentials", right)
    expect(sessionLines(await browser.fetch("/who"))).toHaveLength(1)
    expect(sessionLines(await browser.fetch("/plain"))).toEqual([])
  })

  testFormActions(
    async (config, answer) => {
      const form = route("form", async ({ auth, reply }) => {
        const { headers, body } = await answer(takingForms(auth))
        for (const line of headers.getSetCookie()) reply.header("set-cookie", line)
        return await new Response(body).text()
      })
      const app = await createApp(createAdapter(), { auth: AuthModule.forRoot(config), routes: [form] })
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})

describe.each(platforms)("@CurrentSession in $name", ({ createAdapter }) => {
  it("is the session, or null when signed out", async () => {
    const controllers = [createSessionController("who")]
    const app = await createApp(createAdapter(), { auth: AuthModule.forRoot(testConfig()), controllers })
    const browser = await visit(app)
    expect(await (await browser.fetch("/who")).json()).toEqual({ session: null })
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/who")).json()).toMatchObject({ session: { user: ada } })
  })

  it("CONF-01: fails without a secret", async () => {
    const auth = AuthModule.forRoot(testConfig({ secret: "" }))
    const app = await createApp(createAdapter(), { auth, controllers: [createSessionController("who")] })
    expect((await fetch(`${await serve(app)}/who`)).status).toBe(500)
  })
})
