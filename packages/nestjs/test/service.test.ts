import type { FreshSession } from "@latchkey/core/sessions"
import { testReturnPage, testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { AuthModule, AuthService, type NestRequest } from "../src/index.js"
import { createApp, platforms, serve } from "./app.js"
import { right, testConfig } from "./config.js"

describe.each(platforms)("AuthService in $name", ({ createAdapter }) => {
  testSessionFunctions(async ({ config, headers }) => {
    let take: (request: NestRequest) => Promise<unknown> = async () => undefined
    const handle = async ({ request }: { readonly request: NestRequest }) => {
      await take(request)
      return "done"
    }
    const app = await createApp(createAdapter(), { auth: AuthModule.forRoot(config), routes: [{ path: "/", handle }] })
    const origin = await serve(app)
    const service = app.get(AuthService)
    let setCookies: readonly string[] = []
    /** Calls a function with a request of the app. */
    const inRequest = async <Result>(call: (request: NestRequest) => Promise<Result>): Promise<Result> => {
      let result: Promise<Result> | undefined
      take = (request) => {
        result = call(request)
        return result
      }
      setCookies = (await fetch(origin, { headers, redirect: "manual" })).headers.getSetCookie()
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      listSessions: () => inRequest((request) => service.listSessions(request)),
      endSession: (id) => inRequest((request) => service.endSession(request, id)),
      endOtherSessions: () => inRequest((request) => service.endOtherSessions(request)),
      signOutEverywhere: (userId) => service.signOutEverywhere(userId),
      async requireFresh(options) {
        let session: FreshSession | null = null
        take = async (request) => {
          session = await service.requireFresh(request, options)
        }
        const answer = await fetch(origin, { headers, redirect: "manual" })
        return session ?? answer
      },
      getAccessToken: (options) => inRequest((request) => service.getAccessToken(request, options)),
      setCookies: () => setCookies,
    }
  })

  testReturnPage(async (config) => {
    const handle = ({ request }: { readonly request: NestRequest }) => app.get(AuthService).requireFresh(request)
    const routes = [{ path: "pay", method: "ALL", handle }] as const
    const app = await createApp(createAdapter(), { auth: AuthModule.forRoot(config), routes })
    return serve(app)
  })

  it("returns the session and the actions of a request", async () => {
    const app = await createApp(createAdapter(), {
      auth: AuthModule.forRoot(testConfig()),
      routes: [
        {
          path: "login",
          method: "POST",
          handle: ({ request }) =>
            app.get(AuthService).authOf(request).signIn({ providerId: "credentials", fields: right }),
        },
      ],
    })
    const response = await fetch(`${await serve(app)}/login`, { method: "POST" })
    expect(response.headers.getSetCookie().join()).toContain("authjs.session-token=")
  })

  it("cannot end sessions without a request if the configuration depends on it", async () => {
    const app = await createApp(createAdapter(), { auth: AuthModule.forRoot(() => testConfig()) })
    await app.init()
    await expect(app.get(AuthService).signOutEverywhere("1")).rejects.toThrow("depends on the request")
    await app.close()
  })
})
