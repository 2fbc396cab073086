import { request } from "node:http"
import { askRaw } from "@latchkey/testkit/integration"
import { createEvent, defineEventHandler, readRawBody } from "h3"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createNuxtAuth } from "../src/config/index.js"
import { right, startApp, testConfig, visit } from "./app.js"

const callbackUrlOf = async (response: Response) => (await response.json()).credentials.callbackUrl

describe("the handler", () => {
  it.each(["/auth", "/auth/unheard-of", "/authsession", "/other/auth/session", "/auth/Session"])(
    "leaves %s to the app",
    async (path) => {
      const origin = await startApp(testConfig(), { "/**": (_, event) => `the app: ${event.path}` })
      for (const method of ["GET", "POST"]) {
        expect(await (await fetch(`${origin}${path}`, { method })).text()).toBe(`the app: ${path}`)
      }
    },
  )

  it("leaves the body of other requests to the app", async () => {
    const origin = await startApp(testConfig(), {
      "/echo": async ({ getAuth }, event) => {
        await getAuth(event).getSession()
        return await readRawBody(event)
      },
    })
    expect(await (await fetch(`${origin}/echo`, { method: "POST", body: "kept" })).text()).toBe("kept")
  })

  it.each(["/elsewhere", "/below/auth"])(
    "is mounted at the path of the module, although AUTH_URL has %s",
    async (path) => {
      vi.stubEnv("AUTH_URL", `https://public.test${path}`)
      onTestFinished(() => void vi.unstubAllEnvs())
      const url = await callbackUrlOf(await fetch(`${await startApp(testConfig())}/auth/providers`))
      expect(url).toBe("https://public.test/auth/callback/credentials")
    },
  )

  it("HOST-02: ignores forwarded headers, those that h3 believes too", async () => {
    const origin = await startApp(testConfig())
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "evil.test" }
    expect(await callbackUrlOf(await fetch(`${origin}/auth/providers`, { headers }))).toBe(
      `${origin}/auth/callback/credentials`,
    )
  })

  it("HOST-04: answers an invalid host with an error, and keeps serving", async () => {
    const origin = await startApp(testConfig())
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${origin}/auth/session`, { headers: { host: "user@evil.test/x?" } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on("error", reject).end()
    })
    expect(status).toBe(400)
    expect((await fetch(`${origin}/auth/session`)).status).toBe(200)
  })

  it("HOST-04: takes no host from a path with two slashes", async () => {
    const origin = await startApp(testConfig(), {
      "/**": async ({ getAuth }, event) => await getAuth(event).signIn({ redirectTo: "/in" }),
    })
    const answer = await fetch(`${origin}//evil.test/x`)
    expect(await answer.text()).toBe(`${origin}/auth/signin?callbackUrl=%2Fin`)
  })

  it("LIM-01: survives a client that sends more than is read, and one that leaves", async () => {
    const origin = await startApp(testConfig())
    for (const leavesAfter of [1, 100]) {
      await new Promise((resolve) => {
        const sent = request(`${origin}/auth/signout`, { method: "POST" }, (response) => response.resume())
        const chunk = Buffer.alloc(1024 * 1024, 97)
        let count = 0
        const send = () => {
          count += 1
          if (count > leavesAfter) sent.destroy()
          else sent.write(chunk, () => setImmediate(send))
        }
        sent.on("error", () => undefined).on("close", resolve)
        send()
      })
    }
    expect((await fetch(`${origin}/auth/session`)).status).toBe(200)
  })

  it("CONF-01: does not trust the Host header in production", async () => {
    vi.stubEnv("NODE_ENV", "production")
    onTestFinished(() => void vi.unstubAllEnvs())
    const { trustHost: _, ...config } = testConfig()
    const { status } = await askRaw(await startApp(config), "/auth/session", { host: "evil.test" })
    expect(status).toBe(500)
  })

  it("RATE-01, RATE-02: counts by the address of the socket, not by a header of the client", async () => {
    const rateLimit = { budgets: { callback: { limit: 2, windowSeconds: 60 } } }
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const providers = [{ id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" }]
    const origin = await startApp(testConfig({ rateLimit, secret, providers: providers as never }))
    const statuses = []
    for (let index = 0; index < 4; index++) {
      const headers = { "cf-connecting-ip": `6.6.7.${index}`, "x-client-ip": `6.6.8.${index}` }
      const url = `${origin}/auth/callback/oidc?code=c`
      statuses.push((await fetch(url, { headers, redirect: "manual" })).status)
    }
    expect(statuses).toEqual([302, 302, 429, 429])
  })
})

describe("a response that Nitro keeps for all visitors", () => {
  /** Runs a handler as Nitro's cache does: with an event of its own, without cookies, that shares the context. */
  const cached = (run: (event: Parameters<Parameters<typeof defineEventHandler>[0]>[0]) => unknown) =>
    defineEventHandler((outer) => {
      const inner = createEvent(Object.assign(Object.create(outer.node.req), { headers: {} }), outer.node.res)
      inner.context = outer.context
      inner.context["cache"] = {}
      return run(inner)
    })

  it("has no session, even if a middleware has read it before", async () => {
    const config = testConfig()
    const origin = await startApp(config, {
      "/": async (auth, event) => {
        const own = await auth.getAuth(event).getSession()
        const run = cached(async (inner) => [
          own?.user?.name,
          await auth.getAuth(inner).getSession(),
          auth.isShared(inner),
        ])
        return await run(event)
      },
    })
    const browser = visit(origin)
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/")).json()).toEqual([expect.stringContaining("Ada"), null, true])
  })

  it("refuses guards and actions, so that no redirect is kept", async () => {
    const origin = await startApp(testConfig(), {
      "/": (auth, event) => cached((inner) => auth.requireAuth(inner))(event),
    })
    const response = await fetch(`${origin}/`, { redirect: "manual" })
    expect([response.status, (await response.json()).data]).toEqual([500, expect.stringContaining("routeRules")])
  })

  it("needs no secret while Nuxt prerenders, and then has no session", async () => {
    vi.stubEnv("AUTH_SECRET", "")
    onTestFinished(() => void vi.unstubAllEnvs())
    const origin = await startApp(testConfig({ secret: "" }), {
      "/": async (auth, event) => ({ session: await auth.getAuth(event).getSession() }),
    })
    const headers = { "x-nitro-prerender": "/", cookie: "authjs.session-token=x" }
    expect(await (await fetch(origin, { headers })).json()).toEqual({ session: null })
    expect((await fetch(origin)).status).toBe(500)
  })
})

describe("keepOutOfCaches", () => {
  it("makes a page private that shows the session and sets no cookie", async () => {
    const origin = await startApp(testConfig(), {
      "/": (auth, event) => {
        auth.keepOutOfCaches(event)
        return new Response("the name of the user", { headers: { "cache-control": "public, s-maxage=60" } })
      },
    })
    expect((await fetch(origin)).headers.get("cache-control")).toBe("private, no-store")
  })

  it("leaves other responses as they are", () => {
    const { beforeResponse } = createNuxtAuth(testConfig())
    const response = { body: "public" }
    beforeResponse({} as never, response)
    expect(response).toEqual({ body: "public" })
  })
})
