import assert from "node:assert/strict"
import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertResponse } from "./assertions.ts"

export const sessionAnonymous: RateScenario<Response> = {
  kind: "rate",
  id: "session-anonymous",
  title: "Session of somebody who is not signed in",
  targets: ["latchkey", "auth-core", "better-auth", "iron-session", "limit"],
  goals: rateGoals({ one: 12, many: 7, limit: 1.6 }, { one: 6.2, many: 5.7 }),
  notes: ["The limit: look for the cookie, write the Response."],
  async assertDone(response, subject) {
    assertResponse(response, 200, subject)
    assert.equal(await response.clone().json(), null)
  },
}
