import { testGuard } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { type AstroAuthConfig, requireAuth, type UserAuth } from "../src/index.js"
import { createApp, createContext, html, origin, testConfig } from "./app.js"

/** An app whose every page shows the user. */
function guarded(config: AstroAuthConfig = testConfig(), ...routes: readonly string[]) {
  const show = async (auth: UserAuth) => Response.json((await auth.getSession())?.user ?? null)
  const pages = { "/private": show, "/private/[id]": show, "/privateer": show, "/login": show, "/": show }
  return createApp(config, pages, requireAuth(...routes))
}

const get = (headers: Record<string, string>, path = "/private") => new Request(`${origin}${path}`, { headers })

describe("requireAuth", () => {
  testGuard({
    async start(config) {
      const app = guarded(config)
      // Astro answers an error of a middleware with its page for errors.
      const handler = (request: Request) => app(request).catch((error) => new Response(String(error), { status: 500 }))
      return { origin, handler }
    },
    failure: [500, "could not be read"],
  })

  it.each(["/private", "/private/", "private"])(
    "CONF-02: covers the route %j and those below it by the pattern that Astro chose, in every spelling",
    async (route) => {
      const app = guarded(testConfig(), route)
      const status = async (path: string, routePattern: string) => (await app(get({}, path), { routePattern })).status
      expect(await status("/%70rivate", "/private")).toBe(401)
      expect(await status("//private//7", "/private/[id]")).toBe(401)
      expect(await status("/privateer", "/privateer")).toBe(200)
      expect(await status("/", "/")).toBe(200)
    },
  )

  it("CONF-01: refuses to guard a prerendered page, which is sent to everyone", async () => {
    await expect(guarded()(get(html), { isPrerendered: true })).rejects.toThrow(/prerender = false/)
  })

  it("CONF-01: refuses to require a recent proof on a prerendered page", async () => {
    const pay = async (auth: UserAuth) => Response.json(await auth.requireFresh())
    const app = createApp(testConfig(), { "/private": pay })
    await expect(app(get(html), { isPrerendered: true })).rejects.toThrow(/prerender = false/)
  })

  it("explains what is missing if the integration is not installed", async () => {
    const context = createContext(get(html))
    await expect(requireAuth()(context, async () => new Response("open"))).rejects.toThrow(/Add latchkey\(\)/)
  })
})
