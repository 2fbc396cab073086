import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertPersonsSession } from "./assertions.ts"

export const sessionMemory: RateScenario<Response> = {
  kind: "rate",
  id: "session-memory",
  title: "Stored session, in memory",
  targets: ["latchkey", "auth-core", "better-auth", "limit"],
  goals: rateGoals({ one: 8, many: 4, limit: 1.4 }, { one: 5.5, limit: 1.6 }),
  notes: ["The limit: find the cookie, one lookup in a map, check the expiry, write the cookie and the Response."],
  assertDone: assertPersonsSession,
}
