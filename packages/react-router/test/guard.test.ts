import { testGuard } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { getAuth, type ReactRouterAuthConfig, type RouteArgs, requireAuth } from "../src/index.js"
import { ada, createApp, html, origin, testConfig } from "./app.js"

const readUser = async ({ context }: RouteArgs) => (await getAuth(context).getSession())?.user ?? null

/** An app with a guarded layout around a page and a resource route. */
function guarded(config: ReactRouterAuthConfig = testConfig(), errors: unknown[] = []) {
  const middleware = [requireAuth]
  const routes = {
    layout: { isPage: true, middleware, path: "", loader: () => "layout" },
    private: { isPage: true, parent: "layout", loader: readUser },
    "api/user": { parent: "layout", loader: async (args: RouteArgs) => Response.json(await readUser(args)) },
    login: { isPage: true, parent: "layout", loader: readUser },
  }
  return createApp(config, routes, { errors })
}

const get = (headers: Record<string, string>, path = "/private") => new Request(`${origin}${path}`, { headers })

describe("requireAuth", () => {
  testGuard({
    start: async (config) => ({ origin, handler: guarded({ ...config, basePath: "/auth" }) }),
    failure: [500, ""],
  })

  it.each(["/private.data?tab=1", "/private.data?tab=1&_routes=private"])(
    "CONF-02: redirects a navigation in the browser, which requests %s, and reloads the document",
    async (path) => {
      const response = await guarded()(get({ accept: "*/*" }, path))
      const body = await response.text()
      expect([response.status, body]).toEqual([
        202,
        expect.stringContaining("/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1"),
      ])
      expect(body).toMatch(/"reload",true/)
      expect(body).not.toContain(ada.name)
    },
  )

  it.each([
    ["accepting anything", { accept: "*/*" }, "GET"],
    ["accepting JSON", { accept: "application/json" }, "GET"],
    ["posting a form", { ...html, origin }, "POST"],
  ])("answers a client %s with 401", async (_, headers, method) => {
    const response = await guarded()(new Request(`${origin}/api/user`, { method, headers }))
    expect([response.status, await response.json()]).toEqual([401, { message: "Sign in to continue." }])
  })

  it.each(["/%70rivate", "/PRIVATE", "//private", "/private/", "/private/_.data", "/private.data/", "/./private"])(
    "CONF-02: is not bypassed by the spelling %s",
    async (path) => {
      const response = await guarded()(get(html, path))
      expect([202, 303, 404]).toContain(response.status)
      expect(await response.text()).not.toContain('"private":')
    },
  )

  it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://other.test"] }])(
    "CONF-01: passes no request when the session cannot be read (%j)",
    async (changes) => {
      const errors: unknown[] = []
      const headers = { ...html, cookie: "authjs.session-token=x; __Secure-authjs.session-token=x" }
      const response = await guarded(testConfig(changes), errors)(get(headers, "/api/user"))
      expect([response.status, String(errors[0])]).toEqual([500, expect.stringContaining("could not be read")])
      const page = await guarded(testConfig(changes))(get(headers))
      expect([page.status, await page.text()]).toEqual([500, expect.not.stringContaining('"private":')])
    },
  )

  it("lets navigations in the browser to the app's own sign-in page through", async () => {
    const app = guarded(testConfig({ pages: { signIn: "/login" } }))
    expect((await app(get({}, "/login.data"))).status).toBe(200)
  })

  it("explains what is missing if the middleware is not mounted", async () => {
    const errors: unknown[] = []
    const routes = { private: { middleware: [requireAuth], loader: readUser } }
    const response = await createApp(testConfig(), routes, { errors, isMounted: false })(get(html))
    expect([response.status, String(errors[0])]).toEqual([
      500,
      expect.stringContaining("middleware = [auth.middleware]"),
    ])
  })
})
