import assert from "node:assert/strict"
import { origin } from "../fixtures/host.ts"
import { tenProviders } from "../fixtures/ten-providers.ts"
import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertResponse } from "./assertions.ts"

const expected = Object.fromEntries(
  tenProviders.map(({ id, name, type }) => [
    id,
    { id, name, type, signinUrl: `${origin}/auth/signin/${id}`, callbackUrl: `${origin}/auth/callback/${id}` },
  ]),
)

export const providers: RateScenario<Response> = {
  kind: "rate",
  id: "providers",
  title: "List of ten providers",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 8, many: 4, limit: 1.8 }, { one: 4.8 }),
  notes: ["The limit: ten entries with addresses below the request's origin, JSON, write the Response."],
  async assertDone(response, subject) {
    assertResponse(response, 200, subject)
    assert.deepEqual(await response.clone().json(), expected)
  },
}
