import assert from "node:assert/strict"
import { type RateScenario, rateGoals } from "../scenario.ts"

export const encode: RateScenario<string> = {
  kind: "rate",
  id: "encode",
  title: "encode",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 18, limit: 1.3 }),
  notes: ["The limit: claims as JSON with a random id, one encryption."],
  assertDone: (token) => assert.match(token, /^ey[\w-]+\.\.[\w-]+\.[\w-]{200,}\.[\w-]{43}$/),
}
