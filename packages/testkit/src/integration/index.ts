// Imported as `@latchkey/testkit/integration`. Needs vitest.
export {
  integrationConfig,
  integrationMailbox,
  integrationUser,
  listen,
  publicCaching,
  type RunningServer,
  toWebListener,
  type WebListener,
} from "./server-under-test.js"
export {
  type AppRoute,
  type FormActions,
  type FormActionsOptions,
  type FormApp,
  type OpenFormApp,
  takingForms,
  testFormActions,
  toTarget,
} from "./test-form-actions.js"
export { type GuardedApp, type GuardUnderTest, testGuard, testNativeGuard } from "./test-guard.js"
export { type IntegrationUnderTest, testIntegration } from "./test-integration.js"
export { type LeavingVisit, testProviderSignOut } from "./test-provider-sign-out.js"
export {
  type SessionFunctions,
  type TrackedVisit,
  testReturnPage,
  testSessionFunctions,
} from "./test-session-functions.js"
