import { describe, expect, it } from "vitest"
import { AuthModule } from "../src/index.js"
import { createApp, createSessionController, platforms, type Route, serve, visit } from "./app.js"
import { ada, right, testConfig } from "./config.js"

const sessionCookie = "authjs.session-token"
const namesOf = (response: Response) => response.headers.getSetCookie().map((line) => line.split("=", 1)[0])

/** A route that answers an error with 403. */
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
        return String(error)
      }
    },
  }
}

const routes: readonly Route[] = [
  route("fail", async ({ auth }) => {
    await auth.signOut()
    throw new Error("after the sign-out")
  }),
  route("own-cookie", async ({ auth, reply }) => {
    reply.header("set-cookie", "own=1")
    return { session: await auth.getSession() }
  }),
]

describe.each(platforms)("@CurrentAuth in $name", ({ createAdapter }) => {
  const createTestApp = () => createApp(createAdapter(), { auth: AuthModule.forRoot(testConfig()), routes })

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
