import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertPersonsClaims } from "./assertions.ts"

export const decode: RateScenario = {
  kind: "rate",
  id: "decode",
  title: "decode",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 40, limit: 1.3 }),
  notes: ["The limit: one decryption, JSON, check the expiry."],
  assertDone: assertPersonsClaims,
}
