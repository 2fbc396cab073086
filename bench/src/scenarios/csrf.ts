import assert from "node:assert/strict"
import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertResponse } from "./assertions.ts"

export const csrf: RateScenario<Response> = {
  kind: "rate",
  id: "csrf",
  title: "CSRF token for a new visitor",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 8, many: 4, limit: 1.8 }, { one: 4, many: 3.2 }),
  notes: ["The limit: 32 random bytes, one HMAC-SHA-256, write the cookie and the Response."],
  async assertDone(response, subject) {
    assertResponse(response, 200, subject)
    assert.match(await response.clone().text(), /^\{"csrfToken":"[0-9a-f]{64}"\}$/)
  },
}
