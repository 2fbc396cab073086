import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import type { RunningServer } from "@latchkey/testkit/integration"
import type { FastifyInstance } from "fastify"
import { onTestFinished } from "vitest"

export const right = { username: "ada", password: "right" }
export const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

/** An app on a free port of 127.0.0.1. */
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

/** The same for the length of a test. Gives back its origin. */
export async function serve(app: FastifyInstance): Promise<string> {
  const { origin, close } = await listen(app)
  onTestFinished(close)
  return origin
}

/** Somebody who visits an app, for the length of a test. */
export async function visit(app: FastifyInstance, basePath = "/auth"): Promise<Browser> {
  return createBrowser({ handler: overHttp, origin: await serve(app), basePath })
}
