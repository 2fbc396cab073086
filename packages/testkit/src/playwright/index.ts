// Imported as `@latchkey/testkit/playwright`.
export {
  type AuthFixtures,
  type AuthWorkerFixtures,
  authFixtures,
  type PlaywrightContext,
  type SignedInUser,
} from "./fixtures.js"
