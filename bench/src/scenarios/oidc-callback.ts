import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertSignedIn } from "./assertions.ts"

export const oidcCallback: RateScenario<Response> = {
  kind: "rate",
  id: "oidc-callback",
  title: "Callback of an OpenID Connect sign-in",
  targets: ["latchkey", "auth-core", "limit"],
  // As in the short form, which ends before all of this much code is warm.
  goals: rateGoals({ one: 12, many: 6, limit: 1.9 }, { one: 1.9, many: 2.5, limit: 7 }),
  notes: [
    "The identity provider is a function in the target's process. auth-core does not check the ID token's signature.",
    "The limit: open the state and the two cookies, ask for the tokens, one RS256 verification with a kept key, one encryption, write the cookies and the redirect.",
  ],
  assertDone: assertSignedIn,
}
