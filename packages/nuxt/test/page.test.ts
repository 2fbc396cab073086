import type { IncomingMessage, ServerResponse } from "node:http"
import { configureAuth, getProviders } from "@latchkey/client"
import { integrationConfig } from "@latchkey/testkit/integration"
import { createEvent, type H3Event } from "h3"
import { beforeEach, describe, expect, it, vi } from "vitest"
import type { PageSession } from "../src/app/session.js"
import { createNuxtAuth } from "../src/config/index.js"
import { right, startApp, testConfig, visit } from "./app.js"

/** What Nuxt knows about the page. */
interface Page {
  event: H3Event | undefined
  state: Map<string, { value: unknown }>
  app: Record<string, unknown>
  /** Where the router has its pages: `#` in the hash mode. */
  base: string
}
const page: Page = { event: undefined, state: new Map(), app: {}, base: "" }

vi.mock("nuxt/app", () => ({
  createError: (error: { readonly message: string }) => Object.assign(new Error(error.message), error),
  defineNuxtPlugin: (setup: unknown) => setup,
  defineNuxtRouteMiddleware: (middleware: unknown) => middleware,
  navigateTo: (to: string, options: object) => ({ to, ...options }),
  useNuxtApp: () => page.app,
  useRequestEvent: () => page.event,
  useRouter: () => ({
    resolve: ({ fullPath }: { readonly fullPath: string }) => ({ href: `${page.base}${fullPath}` }),
  }),
  useRuntimeConfig: () => ({ public: { latchkey: { basePath: "/auth" } } }),
  useState: (key: string, init: () => unknown) => {
    const state = page.state.get(key) ?? { value: init() }
    page.state.set(key, state)
    return state
  },
}))

const plugin = (await import("../src/app/plugin.js")).default as (app: object) => Promise<void>
const middleware = (await import("../src/app/route-middleware.js")).default as (to: object) => Promise<unknown>
const { useSession } = await import("../src/app/index.js")

async function runPlugin(): Promise<void> {
  await plugin({ provide: (name: string, value: PageSession) => Object.assign(page.app, { [`$${name}`]: value }) })
}

interface Visitor {
  readonly isSignedIn?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Renders a page in a server route. @returns what `render` returns, and the response */
async function renderPage(render: () => unknown, visitor: Visitor = {}, changes: object = {}) {
  const rendered: { result?: unknown } = {}
  const origin = await startApp(testConfig(changes), {
    "/**": async (auth, event) => {
      event.context["latchkey"] = auth
      page.event = event
      await runPlugin()
      rendered.result = await render()
      event.node.res.setHeader("cache-control", "public, s-maxage=60")
      return "the page"
    },
  })
  const browser = visit(origin)
  if (visitor.isSignedIn) await browser.signIn("credentials", right)
  const response = await browser.fetch("/private?tab=1", { headers: { accept: "text/html", ...visitor.headers } })
  const body = await response.text()
  return { ...rendered, status: response.status, body, caching: response.headers.get("cache-control") }
}

const signedIn: Visitor = { isSignedIn: true }
const read = () => {
  const { data, status, error } = useSession()
  return [status.value, data.value?.user?.name ?? null, error.value]
}

beforeEach(() => {
  page.event = undefined
  page.state.clear()
  page.app = {}
  page.base = ""
})

describe("useSession while the server renders", () => {
  it("has the session, passes it to the browser, and keeps the page out of shared caches", async () => {
    const { result, caching } = await renderPage(read, signedIn)
    expect([result, caching]).toEqual([
      ["authenticated", expect.stringContaining("Ada"), undefined],
      "private, no-store",
    ])
    expect(page.state.get("latchkey:session")?.value).toMatchObject({ user: { email: "ada@example.com" } })
  })

  it("is signed out without a session, and leaves the page as cacheable as it is", async () => {
    const { result, caching } = await renderPage(read)
    expect([result, caching]).toEqual([["unauthenticated", null, undefined], "public, s-maxage=60"])
  })

  it("does not know the session on a page that is prerendered for all visitors", async () => {
    const { result } = await renderPage(read, { ...signedIn, headers: { "x-nitro-prerender": "/" } })
    expect([result, page.state.get("latchkey:session")?.value]).toEqual([["loading", null, undefined], undefined])
  })

  it("CONF-01: renders no page when the session cannot be read", async () => {
    const { status, body } = await renderPage(read, {}, { secret: "" })
    expect([status, body]).toEqual([500, expect.stringContaining("could not be read")])
  })

  it("leads the flows and hooks of the other packages to the path of the module", async () => {
    configureAuth({ basePath: "/elsewhere" })
    page.event = undefined
    await runPlugin()
    const asked: string[] = []
    vi.stubGlobal("fetch", async (url: string) => {
      asked.push(url)
      return Response.json({})
    })
    await getProviders().finally(() => vi.unstubAllGlobals())
    expect(asked).toEqual([expect.stringMatching(/(?<!elsewhere)\/auth\/providers$/)])
  })

  it("updates the session in the browser only", async () => {
    const { result } = await renderPage(() =>
      useSession()
        .update()
        .catch(({ message }: Error) => message),
    )
    expect(result).toContain("only in the browser")
  })
})

describe("the route middleware on the server", () => {
  const guard = () => middleware({ fullPath: "/private?tab=1" })

  it("lets users pass, and redirects other page loads to the sign-in page", async () => {
    expect((await renderPage(guard, signedIn)).result).toBeUndefined()
    const { result, caching } = await renderPage(guard)
    expect(result).toEqual({
      ...{ to: "/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1", external: true, redirectCode: 303 },
    })
    expect(caching).toBe("private, no-store")
  })

  it("refuses a client that does not ask for a page", async () => {
    const { result } = await renderPage(() => guard().catch(({ statusCode, message }) => [statusCode, message]), {
      headers: { accept: "*/*" },
    })
    expect(result).toEqual([401, "Sign in to continue."])
  })

  it("CONF-01: refuses a page that is prerendered for all visitors", async () => {
    const { status, body } = await renderPage(guard, { ...signedIn, headers: { "x-nitro-prerender": "/" } })
    expect([status, body]).toEqual([500, expect.stringContaining("routeRules")])
  })
})

describe("in the browser", () => {
  async function openPage(known: unknown): Promise<void> {
    page.state.set("latchkey:session", { value: known })
    await runPlugin()
  }
  const session = { user: { name: "Ada" }, expires: "2099-01-01T00:00:00.000Z" }

  it("starts with the session that the server has rendered, without a request", async () => {
    await openPage(session)
    expect(read()).toEqual(["authenticated", "Ada", undefined])
    expect(await middleware({ fullPath: "/private" })).toBeUndefined()
  })

  it("leads to the sign-in page of the service, which returns", async () => {
    await openPage(null)
    expect(await middleware({ fullPath: "/private?tab=1" })).toEqual({
      ...{ to: "/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1", external: true },
    })
  })

  it("returns to the page below the base URL of the app, which routes leave out", async () => {
    page.base = "/shop"
    await openPage(null)
    expect(await middleware({ fullPath: "/private?tab=1" })).toMatchObject({
      to: "/auth/signin?callbackUrl=%2Fshop%2Fprivate%3Ftab%3D1",
    })
  })

  it("returns to the page behind the # in the hash mode of the router", async () => {
    page.base = "#"
    vi.stubGlobal("location", new URL("https://app.test/shop/?x=1#/elsewhere"))
    await openPage(null)
    const left = await middleware({ fullPath: "/private?tab=1" }).finally(() => vi.unstubAllGlobals())
    expect(left).toMatchObject({ to: "/auth/signin?callbackUrl=%2Fshop%2F%3Fx%3D1%23%2Fprivate%3Ftab%3D1" })
  })

  it("requests the session on a page that was the same for all visitors", async () => {
    const request = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(session))
    await openPage(undefined)
    expect(await middleware({ fullPath: "/private" })).toBeUndefined()
    expect(read()).toEqual(["authenticated", "Ada", undefined])
    expect(String(request.mock.calls[0]?.[0])).toContain("/auth/session")
    request.mockRestore()
  })

  it("explains what is missing if the module is not installed", () => {
    expect(() => useSession()).toThrow(/modules/)
  })
})

describe("createNuxtAuth", () => {
  it("finds no session that Nitro shares", () => {
    const event = createEvent({ headers: {} } as IncomingMessage, {} as ServerResponse)
    const auth = createNuxtAuth(integrationConfig())
    expect(auth.isShared(event)).toBe(false)
    event.context["cache"] = {}
    expect(auth.isShared(event)).toBe(true)
  })

  it("finds no session that a platform shares: it caches after all hooks, whatever the headers say", async () => {
    const event = createEvent({ headers: {} } as IncomingMessage, {} as ServerResponse)
    const auth = createNuxtAuth(integrationConfig())
    for (const [isr, isShared] of [
      [undefined, false],
      [false, false],
      [60, true],
      [true, true],
    ] as const) {
      event.context["_nitro"] = { routeRules: { isr } }
      expect([isr, auth.isShared(event)]).toEqual([isr, isShared])
    }
    expect(await auth.getAuth(event).getSession()).toBeNull()
    await expect(auth.requireAuth(event)).rejects.toThrow(/routeRules/)
  })
})
