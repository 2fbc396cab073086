import type { RequestListener } from "node:http"
import { createNodeListener } from "@latchkey/node"
import { listen, publicCaching, testIntegration } from "@latchkey/testkit/integration"
import type { NextApiRequest, NextApiResponse } from "next"
import { NextAuth, type NextAuthResult } from "../src/next-auth.js"
import { RedirectError } from "./doubles/navigation.js"
import { RequestScope, scopes } from "./doubles/request-scope.js"
import { NextRequest } from "./doubles/server.js"
import { asPagesRouter } from "./pages-server.js"

function createApp({ handlers, auth, signIn }: NextAuthResult) {
  /** Calls a route handler as Next does: with an internal host in the URL and the public one in a header. */
  async function answerRoute(request: Request): Promise<Response> {
    const { pathname, search, host } = new URL(request.url)
    const isOwn = pathname === "/api/cached" || pathname === "/login"
    if (!isOwn && !pathname.startsWith("/api/auth/")) return new Response("the app")
    const headers = new Headers(request.headers)
    headers.set("x-forwarded-host", host)
    headers.set("x-forwarded-proto", "http")
    const { method, body } = request
    const init: RequestInit & { duplex: "half" } = { method, headers, body, duplex: "half" }
    const nextRequest = new NextRequest(`http://localhost:3000${pathname}${search}`, init)
    if (pathname === "/api/cached") return await answerCached(nextRequest)
    if (pathname === "/login") return await answerForm(nextRequest)
    const route = method === "GET" || method === "HEAD" ? handlers.GET : handlers.POST
    return await route(nextRequest)
  }

  const cachedRoute = auth(() => new Response("the app", { headers: publicCaching }))

  /** Adds the cookies of `cookies().set` to the response, as Next does. */
  async function answerCached(request: NextRequest): Promise<Response> {
    const scope = new RequestScope(request.headers)
    const response = await scopes.run(scope, () => cachedRoute(request, {}))
    for (const line of scope.setCookies) response.headers.append("set-cookie", line)
    return response
  }

  /** A server action. Next forbids to store its answer. */
  async function answerForm(request: NextRequest): Promise<Response> {
    const { providerId, ...options } = Object.fromEntries(await request.formData())
    const scope = new RequestScope(request.headers)
    const thrown: unknown = await scopes.run(scope, () => signIn(String(providerId), options)).catch((error) => error)
    const response =
      thrown instanceof RedirectError
        ? new Response(null, { status: 303, headers: { location: thrown.url } })
        : new Response(String(thrown), { status: 403 })
    response.headers.set("cache-control", "no-cache, no-store, max-age=0, must-revalidate")
    for (const line of scope.setCookies) response.headers.append("set-cookie", line)
    return response
  }

  const pagesRouter = asPagesRouter((request, response) => handlers.pages(request, response))

  /** `getServerSideProps` of a page, which reads the session and then caches the page as Next's guides do. */
  const cachedPage: RequestListener = async (request, response) => {
    if (request.url !== "/cached") return pagesRouter(request, response)
    request.headers["x-forwarded-host"] = request.headers.host
    request.headers["x-forwarded-proto"] = "http"
    await auth(request as NextApiRequest, response as NextApiResponse) // Only the parts of Node are read.
    for (const [name, value] of Object.entries(publicCaching)) response.setHeader(name, value)
    response.end("the app")
  }

  return { answerRoute, cachedPage }
}

testIntegration({
  name: "a route handler of Next.js",
  cachedPage: "/api/cached",
  signInForm: "/login",
  basePath: "/api/auth",
  start: (config) => listen(createNodeListener(createApp(NextAuth(config)).answerRoute)),
})

testIntegration({
  name: "an API route of Next.js",
  cachedPage: "/cached",
  basePath: "/api/auth",
  start: (config) => listen(createApp(NextAuth(config)).cachedPage),
})
