import { testUserAuth } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { createApp, origin } from "./app.js"

describe("Astro.locals.auth", () => {
  testUserAuth((config, route) => ({ origin, handler: createApp(config, { "/form": route }) }))
})
