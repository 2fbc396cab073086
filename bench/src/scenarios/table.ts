import type { RateScenario, Scenario } from "../scenario.ts"
import { bundle } from "./bundle.ts"
import { credentials } from "./credentials.ts"
import { csrf } from "./csrf.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { expressSession } from "./express.ts"
import { getToken } from "./get-token.ts"
import { heap } from "./heap.ts"
import { install } from "./install.ts"
import { oauthStart } from "./oauth-start.ts"
import { oidcCallback } from "./oidc-callback.ts"
import { providers } from "./providers.ts"
import { sessionAnonymous } from "./session-anonymous.ts"
import { sessionEdge } from "./session-edge.ts"
import { sessionMemory } from "./session-memory.ts"
import { sessionSqlite } from "./session-sqlite.ts"
import { sessionStateless } from "./session-stateless.ts"
import { signInPage } from "./signin-page.ts"
import { startup } from "./startup.ts"
import { types } from "./types.ts"

/** All scenarios in the order of the results. */
export const scenarios: readonly Scenario[] = [
  sessionStateless,
  sessionAnonymous,
  sessionMemory,
  sessionSqlite,
  csrf,
  providers,
  signInPage,
  credentials,
  oauthStart,
  oidcCallback,
  encode,
  decode,
  getToken,
  sessionEdge,
  expressSession,
  startup,
  bundle,
  install,
  types,
  heap,
]

/** @throws for a name that is no scenario's with rates */
export function findRateScenario(id: string): RateScenario {
  const found = scenarios.find((scenario) => scenario.id === id)
  if (found?.kind !== "rate") throw new Error(`There is no scenario ${id} with rates`)
  return found
}
