import { Hono } from "hono"
import { setCookie } from "hono/cookie"
import { describe, expect, it } from "vitest"
import { getAuthUser, HonoAuth, verifyAuth } from "../src/index.js"
import { visit } from "./browser.js"
import { ada, right, testConfig } from "./config.js"

const sessionCookie = "authjs.session-token"
const sessionLines = (response: Response) =>
  response.headers.getSetCookie().filter((line) => line.startsWith(sessionCookie))

function createApp() {
  const app = new Hono().use(HonoAuth(testConfig()))
  app.get("/who", async (c) => c.json((await getAuthUser(c))?.user ?? null))
  app.get("/raw", async (c) => {
    await getAuthUser(c)
    setCookie(c, "dropped-by-hono", "1")
    return new Response("raw", { headers: { "set-cookie": "own=1" } })
  })
  return app
}

describe("getAuthUser", () => {
  it("returns the signed-in user, or null when signed out and for a forged cookie", async () => {
    const app = new Hono().use(HonoAuth(testConfig())).get("/", async (c) => c.json(await getAuthUser(c)))
    const browser = visit(app)
    expect(await (await browser.fetch("/")).json()).toBeNull()
    const forged = await app.request("http://app.test/", { headers: { cookie: "authjs.session-token=forged" } })
    expect(await forged.json()).toBeNull()
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/")).json()).toMatchObject({ user: ada, session: { user: ada } })
  })

  it("reads the session once for a request", async () => {
    let reads = 0
    const callbacks = { session: <S>({ session }: { session: S }) => ({ ...session, count: ++reads }) }
    const app = new Hono().use(HonoAuth(testConfig({ callbacks })))
    app.get("/", verifyAuth(), async (c) => c.json([await getAuthUser(c), await getAuthUser(c)]))
    const browser = visit(app)
    await browser.signIn("credentials", right)
    reads = 0
    await browser.fetch("/")
    expect(reads).toBe(1)
  })
})

describe("the cookie of a session", () => {
  it("is renewed in a handler's own Response as well", async () => {
    const browser = visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/raw")
    expect(await response.text()).toBe("raw")
    expect(response.headers.getSetCookie()).toEqual(["own=1", expect.stringContaining(`${sessionCookie}=`)])
  })

  it("is not renewed if the session was not read", async () => {
    const app = createApp().get("/plain", (c) => c.text("plain"))
    const browser = visit(app)
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/plain")).headers.getSetCookie()).toEqual([])
  })

  it("is cleared if it is invalid", async () => {
    const headers = { cookie: `${sessionCookie}=forged` }
    const response = await createApp().request("http://app.test/who", { headers })
    expect(sessionLines(response)).toEqual([expect.stringContaining("Max-Age=0")])
  })
})
