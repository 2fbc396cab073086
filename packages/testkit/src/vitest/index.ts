// Imported as `@latchkey/testkit/vitest`.
export { type AppUnderTest, type AuthFixtures, authTest, type Surroundings } from "./auth-test.js"
