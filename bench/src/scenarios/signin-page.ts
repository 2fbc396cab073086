import assert from "node:assert/strict"
import { tenProviders } from "../fixtures/ten-providers.ts"
import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertResponse } from "./assertions.ts"

export const signInPage: RateScenario<Response> = {
  kind: "rate",
  id: "signin-page",
  title: "Sign-in page with ten providers",
  targets: ["latchkey", "auth-core"],
  goals: rateGoals({ one: 5, many: 3 }, { one: 3.7 }),
  notes: ["Both render one form for each provider, with the CSRF token in each."],
  async assertDone(response, subject) {
    assertResponse(response, 200, subject)
    const page = await response.clone().text()
    for (const { id, name } of tenProviders) assert.ok(page.includes(`/signin/${id}`) && page.includes(name), name)
    assert.equal(page.match(/name="csrfToken"/g)?.length, tenProviders.length)
  },
}
