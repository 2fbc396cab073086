import { overHttp } from "@latchkey/testkit"
import { takingForms, testFormActions } from "@latchkey/testkit/integration"
import type { Context } from "elysia"
import { describe, expect, it } from "vitest"
import { AuthError, ElysiaAuth, requireAuth } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { ask, createApp as createEmptyApp, serve, visit } from "./serve.js"

const sessionCookie = "authjs.session-token"
const sessionLines = (response: Response) =>
  response.headers.getSetCookie().filter((line) => line.startsWith(sessionCookie))
const namesOf = (response: Response) => response.headers.getSetCookie().map((line) => line.split("=", 1)[0])

describe.each([true, false])("the context's auth (aot: %s)", (aot) => {
  function createApp(config: Parameters<typeof ElysiaAuth>[0] = testConfig()) {
    return createEmptyApp({ aot })
      .onError(({ error, status }) => status(403, error instanceof AuthError ? error.type : String(error)))
      .use(ElysiaAuth(config))
      .post("/login", async ({ auth, body }) =>
        Response.redirect(
          await auth.signIn({ providerId: "credentials", fields: body as Record<string, string> }),
          303,
        ),
      )
      .post("/logout", async ({ auth }) => Response.redirect(await auth.signOut({ redirectTo: "/bye" }), 303))
      .post("/both", async ({ auth }) => {
        await auth.signIn({ providerId: "credentials", fields: right })
        return { session: await auth.getSession() }
      })
      .post("/fail", async ({ auth }) => {
        await auth.signOut()
        throw new Error("after the sign-out")
      })
      .get("/who", async ({ auth }) => ({ before: auth.session, session: await auth.getSession() }))
      .get("/begin", async ({ auth }) => auth.signIn({ redirectTo: "/" }))
      .get("/plain", () => "plain")
      .get("/jar", async ({ auth, cookie }) => {
        cookie["first"]?.set({ value: "1", path: "/" })
        cookie["second"]?.set({ value: "2", path: "/" })
        return { session: await auth.getSession() }
      })
      .get("/jar-response", async ({ auth, cookie, set }) => {
        cookie["first"]?.set({ value: "1", path: "/" })
        set.headers["x-app"] = "1"
        await auth.getSession()
        return new Response("made by the handler", { headers: { "set-cookie": "own=1" }, status: 203 })
      })
  }

  it("signs in, beginning with the next request", async () => {
    const browser = await visit(createApp())
    const response = await browser.fetch("/login", { method: "POST", json: right })
    expect([response.status, response.headers.get("location")]).toEqual([303, `${browser.origin}/`])
    expect(await (await browser.fetch("/who")).json()).toMatchObject({ before: null, session: { user: ada } })
  })

  it("keeps the cookies of a sign-in over clearing an invalid cookie of the request", async () => {
    const headers = { cookie: `${sessionCookie}=forged` }
    const response = await fetch(`${await serve(createApp())}/both`, { method: "POST", headers })
    expect(await response.json()).toEqual({ session: null })
    expect(sessionLines(response)).toEqual([expect.not.stringContaining("Max-Age=0")])
  })

  it("returns the sign-in page without a provider", async () => {
    const browser = await visit(createApp())
    expect(await (await browser.fetch("/begin")).text()).toBe(`${browser.origin}/auth/signin?callbackUrl=%2F`)
  })

  it("signs out", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/logout", { method: "POST" })
    expect(response.headers.get("location")).toBe(`${browser.origin}/bye`)
    expect(await browser.session()).toBeNull()
  })

  it("keeps the cookies of a sign-out when the handler fails afterwards", async () => {
    const app = createEmptyApp({ aot })
      .use(ElysiaAuth(testConfig()))
      .onError(({ error, status }) => status(403, String(error)))
      .post("/fail", async ({ auth }) => {
        await auth.signOut()
        throw new Error("after the sign-out")
      })
    const browser = await visit(app)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/fail", { method: "POST" })
    expect([response.status, await response.text()]).toEqual([403, "Error: after the sign-out"])
    expect(await browser.session()).toBeNull()
  })

  it("sends the cookies of the app as well, each in a header of its own", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/jar")
    expect(namesOf(response).toSorted()).toEqual([sessionCookie, "first", "second"])
    expect(sessionLines(response)).toEqual([expect.stringMatching(/HttpOnly/)])
    expect(await browser.session()).toMatchObject({ user: ada })
  })

  it("sends the cookies of the app and of the handler's own response as well", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/jar-response")
    expect([response.status, response.headers.get("x-app"), await response.text()]).toEqual([
      203,
      "1",
      "made by the handler",
    ])
    expect(namesOf(response).toSorted()).toEqual([sessionCookie, "first", "own"])
    expect(await browser.session()).toMatchObject({ user: ada })
  })

  it("renews a session only if it was read", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    expect(sessionLines(await browser.fetch("/who"))).toHaveLength(1)
    expect(sessionLines(await browser.fetch("/plain"))).toEqual([])
  })

  it("reads the session once for a request, also with the plugin used twice", async () => {
    let reads = 0
    const callbacks = { session: <S>({ session }: { session: S }) => ({ ...session, count: ++reads }) }
    const auth = ElysiaAuth(testConfig({ callbacks }))
    const routes = createEmptyApp({ aot })
      .use(auth)
      .get("/", async ({ auth }) => [await auth.getSession(), await auth.getSession()], { beforeHandle: requireAuth })
    const browser = await visit(createEmptyApp({ aot }).use(auth).use(routes))
    await browser.signIn("credentials", right)
    reads = 0
    expect(sessionLines(await browser.fetch("/"))).toHaveLength(1)
    expect(reads).toBe(1)
  })

  it.each([
    ["an afterHandle hook", "/after"],
    ["a mapResponse hook", "/mapped"],
    ["a hook that replaces the headers", "/replaced"],
    ["a hook that removes the header", "/removed"],
    ["a hook that sees the handler's response", "/response"],
  ])("COOK-20: keeps the session cookie out of shared caches in spite of %s", async (_, path) => {
    const share = ({ set }: Pick<Context, "set">) => {
      set.headers["Cache-Control"] = "public, s-maxage=600"
      Object.assign(set.headers, { "cdn-cache-control": "max-age=600", expires: "Thu, 01 Jan 2099 00:00:00 GMT" })
    }
    const app = createEmptyApp({ aot })
      .use(ElysiaAuth(testConfig()))
      .get("/after", async ({ auth }) => ({ session: await auth.getSession() }), { afterHandle: share })
      .get("/mapped", async ({ auth }) => ({ session: await auth.getSession() }), { mapResponse: share })
      .get("/replaced", async ({ auth }) => ({ session: await auth.getSession() }), {
        afterHandle({ set }) {
          set.headers = { "cache-control": "public", "surrogate-control": "max-age=600" }
        },
      })
      .get("/removed", async ({ auth }) => ({ session: await auth.getSession() }), {
        afterHandle({ set }) {
          delete set.headers["cache-control"]
        },
      })
      .get("/response", async ({ auth }) => Response.json({ session: await auth.getSession() }), { afterHandle: share })
    const browser = await visit(app)
    await browser.signIn("credentials", right)
    const response = await browser.fetch(path)
    expect(sessionLines(response)).toHaveLength(1)
    expect(response.headers.get("cache-control")).toBe("private, no-store")
    const forShared = ["cdn-cache-control", "surrogate-control", "expires"].map((name) => response.headers.get(name))
    expect(forShared).toEqual([null, null, null])
    expect(await response.json()).toMatchObject({ session: { user: ada } })
  })

  it("CONF-01: throws without a secret", async () => {
    const { status, body } = await ask(await serve(createApp(testConfig({ secret: "" }))), "/who")
    expect([status, body]).toEqual([403, "AuthError"])
  })

  testFormActions(
    async (config, answer) => {
      const app = createEmptyApp({ aot })
        .use(ElysiaAuth(config))
        .all("/form", ({ auth }) => answer(takingForms(auth)))
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})
