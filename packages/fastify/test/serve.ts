import { request as sendRequest } from "node:http"
import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import type { RunningServer } from "@latchkey/testkit/integration"
import createFastify, { type FastifyInstance, type FastifyServerOptions } from "fastify"
import { onTestFinished } from "vitest"
import { type AuthPluginOptions, authPlugin } from "../src/index.js"
import { testConfig } from "./config.js"

export const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

/** Creates an app with the plugin that does not listen yet. */
export async function createApp(
  options: AuthPluginOptions = testConfig(),
  server: FastifyServerOptions = {},
): Promise<FastifyInstance> {
  const app = createFastify(server)
  await app.register(authPlugin, options)
  return app
}

/** Starts an app on a free port of 127.0.0.1. */
export async function listen(app: FastifyInstance): Promise<RunningServer> {
  const origin = await app.listen({ host: "127.0.0.1", port: 0, listenTextResolver: () => "" })
  return {
    origin,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** Starts an app, closes it after the test, and returns its origin. */
export async function serve(app: FastifyInstance): Promise<string> {
  const { origin, close } = await listen(app)
  onTestFinished(close)
  return origin
}

/** Starts an app and opens a browser for it. */
export async function visit(app: FastifyInstance, basePath = "/auth"): Promise<Browser> {
  return createBrowser({ handler: overHttp, origin: await serve(app), basePath })
}

/** Returns the status of a request with headers or a path that `fetch` refuses to send. */
export function statusOf(origin: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const sent = sendRequest({ hostname, port, path, headers }, (answer) => resolve(answer.resume().statusCode))
    sent.on("error", reject).end()
  })
}

/** Returns the callback URL that the service lists under a path. */
export async function callbackUrl(
  app: FastifyInstance,
  path: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await app.inject({ url: path, headers: { host: "app.test", ...headers } })
  return response.json().credentials.callbackUrl
}
