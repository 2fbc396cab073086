import { listen } from "@latchkey/testkit/integration"
import { onTestFinished } from "vitest"
import type { Express } from "./expresses.js"

/** An app on 127.0.0.1 for the length of a test. Gives back its origin. */
export async function serve(app: Express): Promise<string> {
  const { origin, close } = await listen(app)
  onTestFinished(close)
  return origin
}
