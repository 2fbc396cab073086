import { AuthError } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import { getSession } from "../src/index.js"
import { ada, createApp, origin, right, testConfig, visit } from "./app.js"

describe("getSession", () => {
  it("reads the session once for each request, by Astro or its request, and renews its cookie", async () => {
    let reads = 0
    const callbacks = { session: <S>({ session }: { session: S }) => ({ ...session, count: ++reads }) }
    const app = createApp(testConfig({ callbacks }), {
      "/": async (auth, context) =>
        Response.json([await getSession(context), await getSession(context.request), await auth.getSession()]),
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    reads = 0
    const response = await browser.fetch("/")
    expect(await response.json()).toMatchObject([{ user: ada }, { user: ada }, { user: ada }])
    expect([reads, response.headers.getSetCookie()]).toEqual([1, [expect.stringContaining("authjs.session-token=")]])
  })

  it("returns null when signed out and for a forged cookie, which it clears", async () => {
    const app = createApp(testConfig(), { "/": async (auth) => Response.json(await auth.getSession()) })
    const signedOut = await app(new Request(`${origin}/`))
    expect([await signedOut.json(), signedOut.headers.getSetCookie()]).toEqual([null, []])
    const forged = await app(new Request(`${origin}/`, { headers: { cookie: "authjs.session-token=forged" } }))
    expect([await forged.json(), forged.headers.getSetCookie().join()]).toEqual([
      null,
      expect.stringContaining("Max-Age=0"),
    ])
  })

  it("knows a page that middleware rewrote the request to, which has a request of its own", async () => {
    const app = createApp(testConfig(), {
      "/": async (auth, context) => {
        const rewritten = { ...context, request: new Request(`${origin}/en`, context.request) }
        return Response.json([await getSession(rewritten), await auth.getSession()])
      },
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/")
    expect(await response.json()).toMatchObject([{ user: ada }, { user: ada }])
    expect(response.headers.getSetCookie()).toHaveLength(1)
  })

  it("throws without the integration, and for an error of the service", async () => {
    await expect(getSession(new Request(origin))).rejects.toThrow(/Add latchkey\(\)/)
    const app = createApp(testConfig({ secret: "" }), { "/": async (auth) => Response.json(await auth.getSession()) })
    await expect(app(new Request(`${origin}/`))).rejects.toBeInstanceOf(AuthError)
  })

  it("adds its cookie to a response with immutable headers", async () => {
    const app = createApp(testConfig(), {
      "/": async (auth) => {
        await auth.getSession()
        return Response.redirect(`${origin}/next`, 302)
      },
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/")
    expect([response.status, response.headers.get("location")]).toEqual([302, `${origin}/next`])
    expect(response.headers.getSetCookie()).toHaveLength(1)
  })
})
