import { trackSessions } from "@latchkey/core/sessions"
import { memoryAdapter } from "@latchkey/testkit"
import { findSharedCaching, publicCaching } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { getAuth, type RouteArgs } from "../src/index.js"
import { ada, createApp, origin, right, testConfig, visit } from "./app.js"

const readName = async ({ context }: RouteArgs) => (await getAuth(context).getSession())?.user?.name ?? null

describe("getSession", () => {
  it("is read once for all parallel loaders, and renews its cookie with one header", async () => {
    let reads = 0
    const callbacks = { session: <S>({ session }: { session: S }) => ({ ...session, count: ++reads }) }
    const app = createApp(testConfig({ callbacks }), {
      layout: { isPage: true, path: "", loader: readName },
      page: { isPage: true, parent: "layout", loader: readName },
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    for (const path of ["/page", "/page.data"]) {
      reads = 0
      const response = await browser.fetch(path)
      const body = await response.text()
      expect([reads, response.headers.getSetCookie()]).toEqual([1, [expect.stringContaining("authjs.session-token=")]])
      expect(body).toContain(path === "/page" ? JSON.stringify({ layout: ada.name, page: ada.name }) : ada.name)
    }
  })

  it("is null when signed out and for a forged cookie, which it clears", async () => {
    const app = createApp(testConfig(), { page: { isPage: true, loader: readName } })
    const signedOut = await app(new Request(`${origin}/page`))
    expect([await signedOut.json(), signedOut.headers.getSetCookie()]).toEqual([{ page: null }, []])
    const forged = await app(new Request(`${origin}/page`, { headers: { cookie: "authjs.session-token=forged" } }))
    expect([await forged.json(), forged.headers.getSetCookie().join()]).toEqual([
      { page: null },
      expect.stringContaining("Max-Age=0"),
    ])
  })

  it("keeps the app's own cookies, and leaves out a renewal of a cookie that the app sets", async () => {
    const end = "authjs.session-token=; Path=/; Max-Age=0"
    const app = createApp(testConfig(), {
      end: {
        async loader(args) {
          await readName(args)
          return new Response("ended", { headers: { "set-cookie": end } })
        },
      },
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/end")).headers.getSetCookie()).toEqual([end])
  })

  it("throws without the middleware", () => {
    expect(() => getAuth({})).toThrow(/middleware = \[auth\.middleware\]/)
  })
})

describe("requireAuth and requireFresh in a loader", () => {
  it("keeps the page for a thrown refusal out of shared caches, whatever headers the page has", async () => {
    const loader = async ({ context }: RouteArgs) => {
      throw await getAuth(context).requireAuth()
    }
    const app = createApp(testConfig(), { private: { isPage: true, headers: publicCaching, loader } })
    const response = await app(new Request(`${origin}/private`, { headers: { accept: "*/*" } }))
    expect([response.status, findSharedCaching(response.headers)]).toEqual([401, []])
  })

  it.each(["requireAuth", "requireFresh"] as const)(
    "CONF-02: %s redirects a navigation in the browser, which requests data, and reloads the document",
    async (name) => {
      const loader = async ({ context }: RouteArgs) => {
        const answer = await getAuth(context)[name]()
        return answer instanceof Response ? answer : "private"
      }
      const session = { strategy: "jwt", track: trackSessions() } as const
      const app = createApp(testConfig({ adapter: memoryAdapter(), session }), { private: { isPage: true, loader } })
      const response = await app(new Request(`${origin}/private.data?tab=1`, { headers: { accept: "*/*" } }))
      const body = await response.text()
      expect([response.status, decodeURIComponent(body)]).toEqual([
        202,
        expect.stringMatching(/\/auth\/signin\?callbackUrl=(?:http:\/\/app\.test)?\/private\?tab=1"/),
      ])
      expect(body).toMatch(/"reload",true/)
    },
  )
})
