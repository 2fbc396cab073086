import type { Context } from "elysia"
import { describe, expect, it } from "vitest"
import { ElysiaAuth, requireAuth } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { createApp as createEmptyApp, visit } from "./serve.js"

const sessionCookie = "authjs.session-token"
const sessionLines = (response: Response) =>
  response.headers.getSetCookie().filter((line) => line.startsWith(sessionCookie))
const namesOf = (response: Response) => response.headers.getSetCookie().map((line) => line.split("=", 1)[0])

describe.each([true, false])("the context's auth (aot: %s)", (aot) => {
  function createApp() {
    return createEmptyApp({ aot })
      .use(ElysiaAuth(testConfig()))
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
})
