// A server with one framework and one library.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { findByPassword, secret } from "../fixtures/host.ts"
import "./report-cpu.ts"
import { createRequests, type Library, type UserRequests } from "./requests.ts"

export type Framework = "node" | "express" | "fastify" | "hono"

/** Sent once the server listens. */
export interface Serving extends UserRequests {
  readonly port: number
}

const config = {
  basePath: "/auth",
  secret,
  trustHost: true,
  useSecureCookies: true,
  // The peers do not count attempts, and one client makes all of these.
  rateLimit: false,
  providers: [
    {
      id: "credentials",
      name: "Password",
      type: "credentials",
      credentials: { email: {}, password: {} },
      authorize: async (fields: Readonly<Record<string, unknown>>) => findByPassword(fields),
    },
  ],
} as const

type WebHandler = (request: Request) => Promise<Response>

/** The three libraries, each with the request handler that its own documentation mounts. */
const listeners: Readonly<Record<Framework, Readonly<Record<Library, () => Promise<RequestListener>>>>> = {
  node: {
    async latchkey() {
      const { toNodeHandler } = await import("@latchkey/node")
      const handle = toNodeHandler(config as never)
      return (request, response) => void handle(request, response)
    },
    auth: async () => fromWeb(await loadAuthCore()),
    "better-auth": async () => await loadBetterAuthListener(),
  },
  express: {
    async latchkey() {
      const { ExpressAuth } = await import("@latchkey/express")
      return await mountExpress(ExpressAuth(config as never), true)
    },
    async auth() {
      const { ExpressAuth } = await import("@auth/express")
      return await mountExpress(ExpressAuth(config as never), true)
    },
    "better-auth": async () => await mountExpress(await loadBetterAuthListener(), false),
  },
  fastify: {
    async latchkey() {
      const { authPlugin } = await import("@latchkey/fastify")
      return await startFastify((app) => void app.register(authPlugin as never, config as never))
    },
    auth: async () => await mountInFastify(await loadAuthCore()),
    "better-auth": async () => await mountInFastify(await loadBetterAuth()),
  },
  hono: {
    async latchkey() {
      const { HonoAuth } = await import("@latchkey/hono")
      return await startHono((app) => void app.use(HonoAuth(config as never) as never))
    },
    async auth() {
      const handle = await loadAuthCore()
      return await startHono((app) => void app.all("/auth/*", (context) => handle(context.req.raw)))
    },
    async "better-auth"() {
      const handle = await loadBetterAuth()
      return await startHono((app) => void app.all("/auth/*", (context) => handle(context.req.raw)))
    },
  },
}

async function loadAuthCore(): Promise<WebHandler> {
  const { Auth } = await import("@auth/core")
  return (request) => Auth(request, config as never) as Promise<Response>
}

async function loadBetterAuth(): Promise<WebHandler> {
  const { createServedAuth } = await import("../targets/better-auth.ts")
  return (await createServedAuth()).handler
}

async function loadBetterAuthListener(): Promise<RequestListener> {
  const { createServedAuth } = await import("../targets/better-auth.ts")
  const { toNodeHandler } = await import("better-auth/node")
  const handle = toNodeHandler(await createServedAuth())
  return (request, response) => void handle(request, response)
}

async function mountExpress(handler: unknown, isBelowUse: boolean): Promise<RequestListener> {
  const { default: express } = await import("express")
  const app = express()
  app.disable("x-powered-by")
  // Each as its documentation mounts it.
  if (isBelowUse) app.use("/auth", handler as never)
  else app.all("/auth/*any", handler as never)
  return app
}

type FastifyApp = Awaited<ReturnType<typeof createFastify>>

async function createFastify() {
  const { default: fastify } = await import("fastify")
  return fastify()
}

async function startFastify(mount: (app: FastifyApp) => void): Promise<RequestListener> {
  const app = await createFastify()
  mount(app)
  await app.ready()
  return (request, response) => app.routing(request, response)
}

function mountInFastify(handle: WebHandler): Promise<RequestListener> {
  return startFastify((app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", (_request, payload, done) => done(null, payload))
    app.all("/auth/*", async (request, reply) => {
      reply.hijack()
      await answer(request.raw, reply.raw, handle)
    })
  })
}

async function startHono(mount: (app: import("hono").Hono) => void): Promise<RequestListener> {
  const { Hono } = await import("hono")
  const { getRequestListener } = await import("@hono/node-server")
  const app = new Hono()
  mount(app)
  return getRequestListener(app.fetch)
}

function fromWeb(handle: WebHandler): RequestListener {
  return (request, response) => void answer(request, response, handle)
}

/** What a host without an integration writes itself. */
async function answer(request: IncomingMessage, response: ServerResponse, handle: WebHandler): Promise<void> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) headers.set(name, String(value))
  const hasBody = request.method === "POST"
  const init = {
    method: request.method ?? "GET",
    headers,
    ...(hasBody && { body: Readable.toWeb(request), duplex: "half" }),
  }
  const answered = await handle(new Request(`http://${request.headers.host}${request.url}`, init as RequestInit))
  response.statusCode = answered.status
  for (const [name, value] of answered.headers) if (name !== "set-cookie") response.setHeader(name, value)
  const cookies = answered.headers.getSetCookie()
  if (cookies.length > 0) response.setHeader("set-cookie", cookies)
  response.end(Buffer.from(await answered.arrayBuffer()))
}

// The runner passes keys of the table.
const [, , framework, library] = process.argv as unknown as [string, string, Framework, Library]
const server = createServer(await listeners[framework][library]())
server.listen(0, "127.0.0.1", async () => {
  // A TCP server's address is never a string.
  const { port } = server.address() as AddressInfo
  const serving: Serving = { port, ...(await createRequests(library, port)) }
  process.send?.(serving)
})
