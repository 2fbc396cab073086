import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertPersonsSession } from "./assertions.ts"

export const sessionStateless: RateScenario<Response> = {
  kind: "rate",
  id: "session-stateless",
  title: "Stateless session, signed in",
  targets: ["latchkey", "auth-core", "better-auth", "iron-session", "limit"],
  goals: rateGoals({ one: 25, many: 9, limit: 1.5 }),
  notes: [
    "The limit: find the cookie, decrypt, check the expiry, encrypt anew, write the cookie and the Response.",
    "better-auth reads its encrypted cookie cache and does not renew it.",
  ],
  assertDone: assertPersonsSession,
}
