import { overHttp } from "@latchkey/testkit"
import { testUserAuth } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { startApp } from "./app.js"

describe("auth in a server route", () => {
  testUserAuth(async (config, route) => ({
    origin: await startApp(config, { "/form": ({ getAuth }, event) => route(getAuth(event)) }),
    handler: overHttp,
  }))
})
