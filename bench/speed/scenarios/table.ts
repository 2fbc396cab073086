import { bundle } from "../../sizes/bundle.ts"
import { cold } from "../../sizes/cold.ts"
import { explain } from "../../sizes/explain.ts"
import { importUsers } from "../../sizes/import.ts"
import { install } from "../../sizes/install.ts"
import { moveApp } from "../../sizes/move.ts"
import { startup } from "../../sizes/startup.ts"
import { types } from "../../sizes/types.ts"
import { growth } from "../growth/growth.ts"
import { limiter } from "../growth/limiter.ts"
import { doctor } from "../http/doctor.ts"
import { http } from "../http/http.ts"
import { next } from "../http/next.ts"
import type { RateScenario, Scenario } from "../scenario.ts"
import { accessToken } from "./access-token.ts"
import { counts } from "./counts.ts"
import { express } from "./express.ts"
import { heap } from "./heap.ts"
import { movedSessions } from "./moved-sessions.ts"
import { passwordSignIns } from "./password-sign-ins.ts"
import {
  decode,
  encode,
  getToken,
  sessionAnonymous,
  sessionEdge,
  sessionLargeConfig,
  sessionMemory,
  sessionNewConfig,
  sessionSqlite,
  sessionStateless,
  sessionTracked,
} from "./session.ts"
import { credentials, csrf, oauthStart, oidcCallback, providers, signInPage } from "./sign-in.ts"
import { trackedSessions } from "./tracked-sessions.ts"

/** All scenarios, in the order of the results. */
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
  sessionLargeConfig,
  sessionNewConfig,
  sessionTracked,
  trackedSessions,
  movedSessions,
  accessToken,
  passwordSignIns,
  express,
  counts,
  http,
  next,
  startup,
  cold,
  explain,
  importUsers,
  moveApp,
  doctor,
  bundle,
  install,
  types,
  heap,
  growth,
  limiter,
]

/** @throws when the id is unknown, or the scenario does not measure a rate */
export function getRateScenario(id: string): RateScenario {
  const found = scenarios.find((scenario) => scenario.id === id)
  if (found?.kind !== "rate") throw new Error(`No scenario with the id ${id} measures a rate`)
  return found
}
