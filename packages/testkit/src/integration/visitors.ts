import type { UserAuth } from "@latchkey/core/integration"
import type { FreshSession } from "@latchkey/core/sessions"
import type { AuthConfig, Session } from "@latchkey/core/types"
import { type Browser, createBrowser } from "../browser/browser.js"
import type { Handler, Network } from "../browser/navigation.js"
import type { AppRoute, OpenApp } from "./form-app.js"
import { integrationUser } from "./server-under-test.js"

/** A client that accepts everything, such as a script. */
export const anything = "*/*"
/** A browser that loads a page. */
export const page = "text/html,application/xhtml+xml,*/*;q=0.8"

/** The requests of a visitor. */
export interface Visit {
  /** Default: signed out. */
  readonly cookie?: string
  /** Default: anything. */
  readonly accept?: string
  readonly authorization?: string
  readonly referer?: string
  /** Default: GET. */
  readonly method?: "GET" | "POST"
  /** Default: empty. */
  readonly query?: string
}

/** One visitor of an app, whose calls are requests of their own. */
export interface Visitor extends Omit<UserAuth, "session" | "requireAuth" | "requireFresh"> {
  /** Calls members in one request. */
  call<Result>(run: (auth: UserAuth<Response | null>) => Promise<Result>): Promise<Result>
  requireAuth(): Promise<Session | Response>
  requireFresh(...options: Parameters<UserAuth["requireFresh"]>): Promise<FreshSession | Response>
  /** The `Set-Cookie` values of the response to the last call. */
  setCookies(): readonly string[]
}

/** An app under test. */
export interface OpenedApp {
  readonly origin: string
  readonly handler: Handler
  visitor(visit: Visit): Visitor
  /** Opens another browser. */
  browser(network?: Network): Browser
}

/** Opens an app whose route is what its visitors call. */
export async function openApp(open: OpenApp, config: AuthConfig): Promise<OpenedApp> {
  let route: AppRoute = async () => null
  const { origin, handler } = await open(Object.freeze(config), (auth) => route(auth))

  function visitor({ method = "GET", query = "", accept = anything, ...sent }: Visit): Visitor {
    const headers = { accept, ...sent, ...(method === "POST" && { origin }) }
    let lines: readonly string[] = []
    async function send(run: AppRoute): Promise<Response> {
      route = run
      const response = await handler(new Request(`${origin}/form${query}`, { method, headers }))
      lines = response.headers.getSetCookie()
      return response
    }
    async function call<Result>(run: (auth: UserAuth<Response | null>) => Promise<Result>): Promise<Result> {
      let outcome: Promise<Result> = Promise.reject(new Error("The app got no request"))
      outcome.catch(() => undefined)
      await send(async (auth) => {
        outcome = run(auth)
        await outcome.catch(() => undefined) // The test sees the error.
        return new Response("done")
      })
      return outcome
    }
    async function ask<Found extends Session>(
      run: (auth: UserAuth<Response | null>) => Promise<Found | Response | null>,
    ): Promise<Found | Response> {
      const found: Found[] = []
      const response = await send(async (auth) => {
        const answer = await run(auth)
        if (answer === null || isResponse(answer)) return answer
        found.push(answer)
        return new Response("done")
      })
      return found[0] ?? response
    }
    return {
      call,
      getSession: () => call((auth) => auth.getSession()),
      signIn: (options) => call((auth) => auth.signIn(options)),
      signOut: (options) => call((auth) => auth.signOut(options)),
      updateSession: (data) => call((auth) => auth.updateSession(data)),
      requireAuth: () => ask((auth) => auth.requireAuth()),
      requireFresh: (options) => ask((auth) => auth.requireFresh(options)),
      getAccessToken: (options) => call((auth) => auth.getAccessToken(options)),
      listSessions: () => call((auth) => auth.listSessions()),
      endSession: (id) => call((auth) => auth.endSession(id)),
      endOtherSessions: () => call((auth) => auth.endOtherSessions()),
      signOutEverywhere: (userId, options) => call((auth) => auth.signOutEverywhere(userId, options)),
      setCookies: () => lines,
    }
  }

  return {
    origin,
    handler,
    visitor,
    browser: (network = {}) => createBrowser({ handler, origin, basePath: "/auth", network }),
  }
}

/** Not `instanceof`: some servers replace the global class. */
function isResponse(answer: object): answer is Response {
  return "headers" in answer
}

/** Signs the user in. Returns the browser. */
export async function signedIn(app: OpenedApp): Promise<Browser> {
  const browser = app.browser()
  const { username, password } = integrationUser
  await browser.signIn("credentials", { username, password, callbackUrl: `${app.origin}/auth/session` })
  return browser
}

/** The `Cookie` header of a browser. */
export function toCookieHeader({ cookies }: Browser): string {
  const all = cookies.list()
  return all.map(({ name, value }) => `${name}=${value}`).join("; ")
}
