import { Auth, setEnvDefaults } from "@latchkey/core"
import type { AuthConfig } from "@latchkey/core/types"
import { listen, type RunningServer, toWebListener } from "./server-under-test.js"
import { testIntegration } from "./test-integration.js"

/** A minimal server, to check the suite without an integration. */
function start(given: AuthConfig): Promise<RunningServer> {
  const config = { ...given, basePath: "/auth" }
  setEnvDefaults(process.env, config)
  return listen(
    toWebListener(async (request) => {
      const isService = /^\/auth(\/|$)/.test(new URL(request.url).pathname)
      return isService ? await Auth(request, config) : undefined
    }),
  )
}

testIntegration({ name: "bare node:http", start })
