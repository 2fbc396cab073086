import { serializeCookie } from "@latchkey/core/integration"
import {
  type FormActions,
  type FormApp,
  integrationConfig,
  testFormActions,
  testUserAuth,
} from "@latchkey/testkit/integration"
import { isHttpError, isRedirect, type RequestEvent } from "@sveltejs/kit"
import { describe, expect, it } from "vitest"
import { SvelteKitAuth, type SvelteKitAuthResult } from "./handler.js"

/** The event of a request, and the cookies that its response sets. */
function createEvent(request: Request) {
  const lines = new Map<string, string>()
  const headers = new Headers()
  const sent = (request.headers.get("cookie") ?? "").split("; ").map((pair) => pair.split("=", 2))
  const values = new Map(sent.map(([name = "", value = ""]) => [name, value]))
  const event = {
    url: new URL(request.url),
    request,
    locals: {},
    isDataRequest: false,
    setHeaders(fields: Readonly<Record<string, string>>) {
      for (const [name, value] of Object.entries(fields)) headers.set(name, value)
    },
    cookies: {
      set(name: string, value: string, options: { readonly maxAge?: number }) {
        lines.set(name, serializeCookie({ name, value, options }))
        if (options.maxAge === 0) values.delete(name)
        else values.set(name, value)
      },
      getAll: () => [...values].map(([name, value]) => ({ name, value })),
    },
    getClientAddress: () => "192.0.2.1",
  } as unknown as RequestEvent // The parts that are read.
  return { event, lines, sent: headers }
}

async function follow(action: Promise<never>): Promise<string> {
  const thrown: unknown = await action.catch((error: unknown) => error)
  if (!isRedirect(thrown)) throw thrown
  return thrown.location
}

/** An app that runs a route at `/form`. */
function createApp({ handle }: SvelteKitAuthResult, run: (event: RequestEvent) => Promise<Response | null>): FormApp {
  async function handler(request: Request): Promise<Response> {
    const { event, lines, sent } = createEvent(request)
    return handle({
      event,
      async resolve() {
        if (event.url.pathname !== "/form") return new Response("the app")
        const response = (await run(event).catch((thrown) => toResponse(thrown, sent))) ?? new Response()
        const own = response.headers.getSetCookie()
        response.headers.delete("set-cookie")
        for (const line of [...lines.values(), ...own]) response.headers.append("set-cookie", line)
        return response
      },
    })
  }
  return { origin: "http://app.test", handler }
}

/** As SvelteKit answers what a loader throws. */
function toResponse(thrown: unknown, headers: Headers): Response {
  if (isRedirect(thrown)) return new Response(null, { status: thrown.status, headers: { location: thrown.location } })
  if (!isHttpError(thrown)) throw thrown
  const { message, ...rest } = thrown.body
  return Response.json({ error: message, ...rest }, { status: thrown.status, headers })
}

describe("the form actions signIn and signOut", () => {
  testFormActions(
    (config, answer) => {
      const own = SvelteKitAuth(config, { env: {} })
      const toActions = (event: RequestEvent): FormActions => ({
        getSession: () => event.locals.getSession(),
        signIn: (form) => follow(own.signIn(event, form)),
        signOut: (form) => follow(own.signOut(event, form ?? new FormData())),
        updateSession: () => Promise.reject(new Error("There is no such function")),
      })
      return createApp(own, (event) => answer(toActions(event)))
    },
    { needsOrigin: false, hasUpdateSession: false },
  )
})

describe("event.locals.auth", () => {
  testUserAuth((config, route) => createApp(SvelteKitAuth(config, { env: {} }), (event) => route(event.locals.auth)), {
    needsOrigin: false,
  })

  it("is the session itself when it is called", async () => {
    const app = createApp(SvelteKitAuth(Object.freeze(integrationConfig()), { env: {} }), async ({ locals }) =>
      Response.json([await locals.auth(), await locals.getSession(), locals.auth.session]),
    )
    expect(await (await app.handler(new Request("http://app.test/form"))).json()).toEqual([null, null, null])
  })
})
