// Imported as `@latchkey/testkit/integration`. Needs vitest.
export type { AppRoute, FormActions, FormApp, FormRoute, OpenApp, OpenFormApp } from "./form-app.js"
export {
  findSharedCaching,
  integrationConfig,
  integrationMailbox,
  integrationUser,
  listen,
  publicCaching,
  type RunningServer,
  toWebListener,
  type WebListener,
} from "./server-under-test.js"
export { type FormActionsOptions, testFormActions, toTarget } from "./test-form-actions.js"
export { type GuardedApp, type GuardUnderTest, testGuard, testNativeGuard } from "./test-guard.js"
export { type IntegrationUnderTest, testIntegration } from "./test-integration.js"
export {
  askRaw,
  type OriginUnderTest,
  type RawAnswer,
  testOrigin,
  visitConfig,
  visitFive,
  visits,
} from "./test-origin.js"
export { type LeavingVisit, testProviderSignOut } from "./test-provider-sign-out.js"
export { testRefusedBodiesBehindNginx } from "./test-refused-bodies.js"
export { testUserAuth, type UserAuthOptions } from "./test-user-auth.js"
