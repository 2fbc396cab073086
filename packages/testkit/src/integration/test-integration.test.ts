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
      return isService ? await Auth(await toBuffered(request), config) : undefined
    }),
  )
}

/** `Auth` cancels a body that it refuses, which would close the connection. */
async function toBuffered(request: Request): Promise<Request> {
  if (request.body === null) return request
  const { method, headers } = request
  return new Request(request.url, { method, headers, body: await request.arrayBuffer() })
}

testIntegration({ name: "bare node:http", start })
