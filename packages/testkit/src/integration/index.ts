// Imported as `@latchkey/testkit/integration`. Needs vitest.
export { integrationConfig, integrationUser } from "./integration-config.js"
export { listen } from "./listen.js"
export { type IntegrationUnderTest, type RunningServer, testIntegration } from "./test-integration.js"
export { toWebListener, type WebListener } from "./to-web-listener.js"
