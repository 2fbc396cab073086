import { type IncomingHttpHeaders, type RequestListener, request as sendRequest } from "node:http"
import { text } from "node:stream/consumers"
import { node } from "@elysiajs/node"
import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import type { RunningServer } from "@latchkey/testkit/integration"
import { Elysia, type ElysiaConfig } from "elysia"
import { onTestFinished } from "vitest"

export const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

/** Creates an app for Node. */
export const createApp = (config: ElysiaConfig<""> = {}) => new Elysia({ ...config, adapter: node() })

/** An app, whatever its routes. */
export interface Servable {
  listen(options: object, started: (server: unknown) => void): unknown
}

/** The server of `@elysiajs/node`, as far as the tests use it. */
interface NodeServer {
  readonly raw: {
    ready(): Promise<unknown>
    close(force: boolean): Promise<void>
    readonly node: {
      readonly server: { address(): { readonly port: number }; prependListener(e: "request", l: RequestListener): void }
    }
  }
}

/** Starts an app on a free port of 127.0.0.1. */
export async function listen(app: Servable, onRequest?: RequestListener): Promise<RunningServer> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  app.listen({ port: 0, hostname: "127.0.0.1" }, resolve)
  const { raw } = (await promise) as NodeServer // Elysia declares the server of Bun.
  await raw.ready()
  if (onRequest) raw.node.server.prependListener("request", onRequest)
  return { origin: `http://127.0.0.1:${raw.node.server.address().port}`, close: () => raw.close(true) }
}

/** Starts an app, closes it after the test, and returns its origin. */
export async function serve(app: Servable, onRequest?: RequestListener): Promise<string> {
  const { origin, close } = await listen(app, onRequest)
  onTestFinished(close)
  return origin
}

/** Starts an app and opens a browser for it. */
export async function visit(app: Servable, basePath = "/auth"): Promise<Browser> {
  return createBrowser({ handler: overHttp, origin: await serve(app), basePath })
}

export interface RawAnswer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a request with headers or a target that `fetch` refuses to send. */
export function ask(origin: string, path: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const sent = sendRequest({ hostname, port, path, headers }, (answer) => {
      const { statusCode: status, headers: received } = answer
      text(answer).then((body) => resolve({ status, headers: received, body }), reject)
    })
    sent.on("error", reject).end()
  })
}
