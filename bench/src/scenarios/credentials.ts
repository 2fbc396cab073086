import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertSignedIn } from "./assertions.ts"

export const credentials: RateScenario<Response> = {
  kind: "rate",
  id: "credentials",
  title: "Sign-in with credentials, stateless session",
  targets: ["latchkey", "auth-core", "better-auth", "limit"],
  goals: rateGoals({ one: 18, many: 6, limit: 1.7 }, { one: 10, limit: 2.7 }),
  notes: [
    "The password is compared as it is: hashing is the host's and would hide everything else.",
    "better-auth keeps a session in memory and answers with JSON.",
    "The limit: read the form, one HMAC for the CSRF token, one encryption, write the cookie and the redirect.",
  ],
  assertDone: assertSignedIn,
}
