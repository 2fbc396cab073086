import { integrationConfig, listen, testIntegration } from "@latchkey/testkit/integration"
import { toNodeHandler } from "../src/index.js"

testIntegration({ name: "node:http", start: () => listen(toNodeHandler(integrationConfig())) })

testIntegration({
  name: "node:http below another path",
  basePath: "/api/auth",
  start: () => listen(toNodeHandler({ ...integrationConfig(), basePath: "/api/auth" })),
})
