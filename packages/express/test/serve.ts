import { request as sendRequest } from "node:http"
import { listen } from "@latchkey/testkit/integration"
import { onTestFinished } from "vitest"
import type { Express } from "./expresses.js"

/** Starts an app on 127.0.0.1, closes it after the test, and returns its origin. */
export async function serve(app: Express): Promise<string> {
  const { origin, close } = await listen(app)
  onTestFinished(close)
  return origin
}

/** Returns the status of a request with headers or a target that `fetch` refuses to send. */
export function statusOf(origin: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const sent = sendRequest({ hostname, port, path, headers }, (answer) => resolve(answer.resume().statusCode))
    sent.on("error", reject).end()
  })
}
