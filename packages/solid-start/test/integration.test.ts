import { integrationConfig, listen, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { SolidAuth } from "../src/index.js"

testIntegration({
  name: "SolidStart's API routes",
  basePath: "/api/auth",
  passesOn: true,
  start() {
    const { GET, POST } = SolidAuth(integrationConfig())
    // Chooses the handler as SolidStart does: GET handles HEAD as well.
    const handlers = new Map([
      ["GET", GET],
      ["HEAD", GET],
      ["POST", POST],
    ])
    return listen(
      toWebListener(async (request, { clientAddress }) => handlers.get(request.method)?.({ request, clientAddress })),
    )
  },
})
