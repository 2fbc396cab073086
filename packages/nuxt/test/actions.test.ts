import { overHttp } from "@latchkey/testkit"
import { testFormActions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { startApp } from "./app.js"

describe("The actions in a server route", () => {
  testFormActions(async (config, route) => ({
    origin: await startApp(config, { "/form": ({ getAuth }, event) => route(getAuth(event)) }),
    handler: overHttp,
  }))
})
