import { AuthError } from "@latchkey/core/errors"
import { testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { getSession, type UserAuth } from "../src/index.js"
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

describe("The functions for a signed-in user in Astro", () => {
  testSessionFunctions(({ config, headers }) => {
    let setCookies: readonly string[] = []
    /** Calls a function in a page. */
    async function inPage<Result>(run: (auth: UserAuth) => Promise<Result>): Promise<Result> {
      const results: Promise<Result>[] = []
      const app = createApp(config, {
        "/": async (auth) => {
          results.push(run(auth))
          await Promise.allSettled(results)
          return new Response("done")
        },
      })
      const response = await app(new Request(`${origin}/`, { headers }))
      setCookies = response.headers.getSetCookie()
      const [result] = results
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      setCookies: () => setCookies,
      listSessions: () => inPage((auth) => auth.listSessions()),
      endSession: (id) => inPage((auth) => auth.endSession(id)),
      endOtherSessions: () => inPage((auth) => auth.endOtherSessions()),
      signOutEverywhere: (userId) => inPage((auth) => auth.signOutEverywhere(userId)),
      requireFresh: (options) => inPage((auth) => auth.requireFresh(options)),
      getAccessToken: (options) => inPage((auth) => auth.getAccessToken(options)),
    }
  }, origin)
})
