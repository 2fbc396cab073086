import type { NextFetchEvent, NextRequest } from "next/server.js"
import type { NextAuthConfig } from "../src/config.js"
import { RequestScope, scopes } from "./doubles/request-scope.js"
import { NextRequest as RequestDouble } from "./doubles/server.js"

const ada = { id: "ada", name: "Ada Lovelace", email: "ada@example.com" }

export const right = { username: "ada", password: "right" }

/** A configuration with one user: Ada, whose password is "right". */
export function testConfig(changes: Partial<NextAuthConfig> = {}): NextAuthConfig {
  return {
    providers: [
      {
        id: "credentials",
        name: "Password",
        type: "credentials",
        credentials: { username: { label: "Name" }, password: { label: "Password", type: "password" } },
        authorize: ({ username, password }) => (username === "ada" && password === "right" ? ada : null),
      },
    ],
    secret: "a secret for tests that is long enough",
    trustHost: true,
    rateLimit: false,
    logger: { error: () => {}, warn: () => {}, debug: () => {} },
    ...changes,
  }
}

/** A browser with a cookie jar that posts forms of the app. As in Next, request URLs are at `localhost` and a forwarded header has the host. */
export function createTestBrowser() {
  const jar = new Map<string, string>()
  const header = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
  const headersWith = (more: Record<string, string>) =>
    new Headers({
      "x-forwarded-host": "app.test",
      "x-forwarded-proto": "https",
      origin: "https://app.test",
      cookie: header(),
      ...more,
    })

  function keep(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [name = "", value = ""] = (cookie.split(";", 1)[0] ?? "").split("=", 2)
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
  }

  return {
    jar,
    keep,
    headersWith,
    /** Runs a function in the scope of one request, as Next runs a component, an action or a route handler. */
    async inRequest<Result>(run: () => Promise<Result>, headers: Record<string, string> = {}): Promise<Result> {
      return await this.inRequestWith(headersWith(headers), run)
    },
    /** Like `inRequest`, for a GET request, which browsers send without `Origin`. */
    async inGet<Result>(run: () => Promise<Result>, more: Record<string, string> = {}): Promise<Result> {
      const headers = headersWith(more)
      headers.delete("origin")
      return await this.inRequestWith(headers, run)
    },
    async inRequestWith<Result>(headers: Headers, run: () => Promise<Result>): Promise<Result> {
      const scope = new RequestScope(headers)
      try {
        return await scopes.run(scope, run)
      } finally {
        keep(scope.setCookies)
      }
    },
    request(path: string, init: RequestInit = {}, basePath = ""): NextRequest {
      const headers = headersWith(Object.fromEntries(new Headers(init.headers)))
      return new RequestDouble(`http://localhost:3000${path}`, { ...init, headers }, basePath)
    },
  }
}

export type TestBrowser = ReturnType<typeof createTestBrowser>

/** The second argument of a proxy. */
export const event: NextFetchEvent = { sourcePage: "/proxy", waitUntil: () => {} }
