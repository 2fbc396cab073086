import { createNodeListener } from "@latchkey/node"
import { integrationConfig, listen, testIntegration } from "@latchkey/testkit/integration"
import { NextAuth } from "../src/next-auth.js"
import { NextRequest } from "./doubles/server.js"
import { asPagesRouter } from "./pages-server.js"

const { handlers } = NextAuth(integrationConfig())

/** Calls a route handler as Next does: with an internal host in the URL and the public one in a header. */
async function answerRoute(request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url)
  if (!pathname.startsWith("/api/auth/")) return new Response("the app")
  const headers = new Headers(request.headers)
  headers.set("x-forwarded-host", host)
  headers.set("x-forwarded-proto", "http")
  const { method, body } = request
  const init: RequestInit & { duplex: "half" } = { method, headers, body, duplex: "half" }
  const route = method === "GET" || method === "HEAD" ? handlers.GET : handlers.POST
  return await route(new NextRequest(`http://localhost:3000${pathname}${search}`, init))
}

testIntegration({
  name: "a route handler of Next.js",
  basePath: "/api/auth",
  start: () => listen(createNodeListener(answerRoute)),
})

testIntegration({
  name: "an API route of Next.js",
  basePath: "/api/auth",
  start: () => listen(asPagesRouter((request, response) => handlers.pages(request, response))),
})
