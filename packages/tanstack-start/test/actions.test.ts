import { testFormActions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { createApp, origin } from "./app.js"

describe("The actions in a server function", () => {
  testFormActions((config, route) => ({ origin, handler: createApp(config, { "/form": route }) }))
})
