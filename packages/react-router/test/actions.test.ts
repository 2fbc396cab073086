import { testUserAuth } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { getAuth, type RouteArgs } from "../src/index.js"
import { ada, createApp, origin, right, testConfig, visit } from "./app.js"

describe("auth in a resource route", () => {
  testUserAuth((config, route) => {
    const answer = ({ context }: RouteArgs) => route(getAuth(context))
    const app = createApp(config, { form: { loader: answer, action: answer } })
    return { origin, handler: (request) => app(request) }
  })
})

describe("The actions in the action of a page", () => {
  it.each(["/page", "/page.data"])("send their cookies with the redirect of an action to %s", async (path) => {
    const app = createApp(testConfig(), {
      page: {
        isPage: true,
        loader: async ({ context }) => (await getAuth(context).getSession())?.user?.name ?? null,
        action: async ({ request, context }) => {
          throw Response.redirect(await getAuth(context).signIn(await request.formData()), 302)
        },
      },
    })
    const browser = visit(app)
    const body = new URLSearchParams({ providerId: "credentials", ...right })
    const response = await browser.fetch(path, { method: "POST", body })
    expect(response.status).toBe(path === "/page" ? 302 : 202)
    expect((await browser.session())?.user?.name).toBe(ada.name)
  })

  it("SESS-04: sign out although a parallel loader or the action itself has read the session", async () => {
    const app = createApp(testConfig(), {
      page: {
        isPage: true,
        loader: async ({ context }) => (await getAuth(context).getSession())?.user?.name ?? "nobody",
        async action({ context }) {
          const auth = getAuth(context)
          await auth.getSession()
          await auth.signOut()
          return null
        },
      },
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/page", { method: "POST", body: new URLSearchParams() })
    expect(await response.json()).toEqual({ page: "nobody" })
    expect(await browser.session()).toBeNull()
  })
})
