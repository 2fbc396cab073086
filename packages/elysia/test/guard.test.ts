import { publicCaching, testGuard } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { ElysiaAuth, requireAuth } from "../src/index.js"
import { right, testConfig } from "./config.js"
import { ask, createApp, html, serve, visit } from "./serve.js"

describe.each([true, false])("requireAuth (aot: %s)", (aot) => {
  function guarded(config = testConfig()) {
    return createApp({ aot })
      .onError(({ error, status }) => status(503, error instanceof Error ? error.message : "unknown"))
      .use(ElysiaAuth(config))
      .onBeforeHandle(({ set }) => void Object.assign(set.headers, publicCaching))
      .all("/*", ({ auth }) => ({ session: auth.session }), { beforeHandle: requireAuth })
  }

  testGuard({ start: (config) => serve(guarded(config)), failure: [503, "could not be read"] })

  it.each(["/private/../login", "/private/%2e%2e/login", "http://x/private/login", "http://x%2fprivate/login"])(
    "CONF-02: is not bypassed by the target %s while the sign-in page is open",
    async (target) => {
      const app = createApp({ aot })
        .use(ElysiaAuth(testConfig({ pages: { signIn: "/login" } })))
        .get("/login", () => "the sign-in page", { beforeHandle: requireAuth })
        .get("/private/*", () => "private", { beforeHandle: requireAuth })
      const origin = await serve(app)
      const { body } = await ask(origin, target)
      expect(body).not.toBe("private")
      expect((await ask(origin, "/login")).body).toBe("the sign-in page")
    },
  )

  it("CONF-02: is not bypassed by a fragment, which the router takes for a part of the path", async () => {
    const app = createApp({ aot })
      .use(ElysiaAuth(testConfig({ pages: { signIn: "/login" } })))
      .get("/:team/secrets", () => "private", { beforeHandle: requireAuth })
    const { status, headers } = await ask(await serve(app), "/login#/secrets", html)
    expect([status, headers.location]).toEqual([303, "/login?callbackUrl=%2Flogin%23%2Fsecrets"])
  })

  it.each(["a.b", "ab", "a"])(
    "CONF-02: is not bypassed by the host %s, whose URL is shorter than the router expects",
    async (host) => {
      const app = createApp({ aot })
        .use(ElysiaAuth(testConfig({ pages: { signIn: "/login" } })))
        .get("/login", () => "the sign-in page", { beforeHandle: requireAuth })
        .get("/private/*", () => "private", { beforeHandle: requireAuth })
      const origin = await serve(app)
      for (const target of ["/login?/private/x", "/login?x=/private/x", "/login/private/x"]) {
        expect((await ask(origin, target, { host })).body, target).not.toBe("private")
        const response = await app.handle(new Request(`http://${host}${target}`))
        expect(await response.text(), target).not.toBe("private")
      }
    },
  )

  it("throws without ElysiaAuth, and does not pass", async () => {
    const app = createApp({ aot })
      .onError(({ error, status }) => status(503, error instanceof Error ? error.message : "unknown"))
      .get("/private", () => "private", { beforeHandle: requireAuth })
    const response = await fetch(`${await serve(app)}/private`)
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("Call app.use(ElysiaAuth(config))"),
    ])
  })

  it("guards all routes of a scope, and renews the session", async () => {
    const app = createApp({ aot })
      .use(ElysiaAuth(testConfig()))
      .guard({ beforeHandle: requireAuth }, (scope) => scope.get("/private", () => "private"))
    const browser = await visit(app)
    expect((await browser.fetch("/private")).status).toBe(401)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/private")
    expect(await response.text()).toBe("private")
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^authjs\.session-token=[^;]+;.*Expires=/)])
  })
})
