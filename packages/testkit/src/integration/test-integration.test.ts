import { Auth, type AuthConfig } from "@latchkey/core"
import { integrationConfig, listen, type RunningServer, toWebListener } from "./server-under-test.js"
import { testIntegration } from "./test-integration.js"

/** A minimal server, to check the suite without an integration. */
function start(given: AuthConfig = integrationConfig()): Promise<RunningServer> {
  const config = { ...given, basePath: "/auth" }
  return listen(
    toWebListener(async (request) => {
      const isService = /^\/auth(\/|$)/.test(new URL(request.url).pathname)
      return isService ? await Auth(request, config) : undefined
    }),
  )
}

testIntegration({ name: "bare node:http", start })
