import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertPersonsSession } from "./assertions.ts"

export const sessionSqlite: RateScenario<Response> = {
  kind: "rate",
  id: "session-sqlite",
  title: "Stored session, in SQLite",
  targets: ["latchkey", "auth-core", "better-auth", "limit"],
  goals: rateGoals({ one: 8, many: 4, limit: 1.4 }, { one: 5.1, limit: 1.6 }),
  notes: [
    "latchkey and auth-core use the same adapter; all of them the SQLite of Node, in memory.",
    "The limit: find the cookie, one prepared statement, check the expiry, write the cookie and the Response.",
  ],
  assertDone: assertPersonsSession,
}
