import { publicCaching, testGuard } from "@latchkey/testkit/integration"
import { type CanActivate, type ExecutionContext, UseGuards } from "@nestjs/common"
import { APP_GUARD } from "@nestjs/core"
import { describe, expect, it } from "vitest"
import { AllowAnonymous, AuthGuard, AuthModule } from "../src/index.js"
import { ask, createApp, createSessionController, platforms, type Reply, serve, visit } from "./app.js"
import { ada, right, testConfig } from "./config.js"

class AllowCaching implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const reply = context.switchToHttp().getResponse<Reply>()
    for (const [name, value] of Object.entries(publicCaching)) reply.header(name, value)
    return true
  }
}

describe.each(platforms)("AuthGuard in $name", ({ createAdapter, wildcard }) => {
  const guarded = (config = testConfig()) =>
    createApp(createAdapter(), {
      auth: AuthModule.forRoot(config),
      controllers: [createSessionController(wildcard, [UseGuards(AllowCaching, AuthGuard)])],
    })

  testGuard({
    start: async (config) => serve(await guarded(config)),
    refusal: { message: "Sign in to continue.", error: "Unauthorized", statusCode: 401 },
    failure: [500, '"statusCode":500'],
  })

  it.each(["http://x%2fprivate/", "http://x%2f", "http://user@x/", "ftp://x/"])(
    "CONF-02: is not bypassed by the target %s while the sign-in page is open",
    async (target) => {
      const origin = await serve(await guarded(testConfig({ pages: { signIn: "/login" } })))
      expect([400, 404]).toContain((await ask(origin, target)).status) // Fastify has no route for some of them.
      expect((await ask(origin, "http://x/private")).status).toBe(401)
      expect((await ask(origin, "http://x/login")).status).toBe(200)
    },
  )

  it("covers the whole app but the routes that allow anonymous visitors", async () => {
    const app = await createApp(createAdapter(), {
      auth: AuthModule.forRoot(testConfig()),
      providers: [{ provide: APP_GUARD, useClass: AuthGuard }],
      controllers: [createSessionController("open", [AllowAnonymous()]), createSessionController("private")],
    })
    const browser = await visit(app)
    expect(await (await browser.fetch("/open")).json()).toEqual({ session: null })
    expect((await browser.fetch("/private")).status).toBe(401)
    await browser.signIn("credentials", right)
    for (const path of ["/open", "/private"]) {
      expect(await (await browser.fetch(path)).json()).toMatchObject({ session: { user: ada } })
    }
  })

  it("does not pass a request that AuthModule has not seen", async () => {
    class Empty {}
    const controllers = [createSessionController("private", [UseGuards(AuthGuard)])]
    const origin = await serve(await createApp(createAdapter(), { auth: { module: Empty }, controllers }))
    expect((await fetch(`${origin}/private`)).status).toBe(500)
  })
})

describe("AuthGuard", () => {
  it("does not pass messages without an HTTP request", async () => {
    const context = { getType: () => "ws", getHandler: () => AuthGuard, getClass: () => AuthGuard }
    // as: the guard calls no other method for such a message.
    const check = new AuthGuard().canActivate(context as unknown as Parameters<AuthGuard["canActivate"]>[0])
    await expect(check).rejects.toThrow('A message of the kind "ws" has no HTTP request')
  })
})
