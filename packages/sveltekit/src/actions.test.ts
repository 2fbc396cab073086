import { serializeCookie } from "@latchkey/core/integration"
import { testFormActions } from "@latchkey/testkit/integration"
import { isRedirect, type RequestEvent } from "@sveltejs/kit"
import { describe } from "vitest"
import { SvelteKitAuth } from "./handler.js"

/** The event of a request, and the cookies that its response sets. */
function createEvent(request: Request) {
  const lines = new Map<string, string>()
  const sent = (request.headers.get("cookie") ?? "").split("; ").map((pair) => pair.split("=", 2))
  const values = new Map(sent.map(([name = "", value = ""]) => [name, value]))
  const event = {
    url: new URL(request.url),
    request,
    locals: {},
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
  return { event, lines }
}

async function follow(action: Promise<never>): Promise<string> {
  const thrown: unknown = await action.catch((error: unknown) => error)
  if (!isRedirect(thrown)) throw thrown
  return thrown.location
}

describe("the form actions signIn and signOut", () => {
  testFormActions(
    (config, answer) => {
      const { handle, signIn, signOut } = SvelteKitAuth(config, { env: {} })
      function handler(request: Request): Promise<Response> {
        const { event, lines } = createEvent(request)
        return handle({
          event,
          async resolve() {
            if (event.url.pathname !== "/form") return new Response("the app")
            const response = await answer({
              getSession: () => event.locals.auth(),
              signIn: (form) => follow(signIn(event, form)),
              signOut: (form) => follow(signOut(event, form ?? new FormData())),
              updateSession: () => Promise.reject(new Error("There is no such function")),
            })
            for (const line of lines.values()) response.headers.append("set-cookie", line)
            return response
          },
        })
      }
      return { origin: "http://app.test", handler }
    },
    { needsOrigin: false, hasUpdateSession: false },
  )
})
