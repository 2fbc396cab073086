import { type IncomingHttpHeaders, request as sendRequest } from "node:http"
import { text } from "node:stream/consumers"
import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import { listen } from "@latchkey/testkit/integration"
import type Koa from "koa"
import { onTestFinished } from "vitest"

export const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

/** Starts an app on 127.0.0.1, closes it after the test, and returns its origin. */
export async function serve(app: Koa): Promise<string> {
  app.silent = true
  const { origin, close } = await listen(app.callback())
  onTestFinished(close)
  return origin
}

/** Starts an app and opens a browser for it. */
export async function visit(app: Koa, basePath = "/auth"): Promise<Browser> {
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
