import { testFormActions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { createApp, origin } from "./app.js"

describe("The actions of Astro.locals.auth", () => {
  testFormActions((config, route) => ({ origin, handler: createApp(config, { "/form": route }) }))
})
