import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertPersonsClaims } from "./assertions.ts"

export const getToken: RateScenario = {
  kind: "rate",
  id: "get-token",
  title: "getToken",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 40, limit: 1.3 }),
  notes: ["The limit: find the cookie, one decryption, JSON, check the expiry."],
  assertDone: assertPersonsClaims,
}
