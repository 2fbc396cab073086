import type { RateScenario } from "../scenario.ts"
import { assertPersonsSession } from "./assertions.ts"

export const sessionEdge: RateScenario<Response> = {
  kind: "rate",
  id: "session-edge",
  title: "Stateless session on Web Crypto, as on edge runtimes",
  targets: ["latchkey-edge", "auth-core-edge"],
  goals: [
    { kind: "faster", who: "latchkey-edge", than: "auth-core-edge", inFlight: 1, times: 4 },
    // Web Crypto works on threads of its own: both are slow alike where other processes have them.
    { kind: "faster", who: "latchkey-edge", than: "auth-core-edge", inFlight: 32, times: 4, usual: 2.5 },
  ],
  notes: ["Both run on Node without its package condition, so that the builds for other runtimes are loaded."],
  assertDone: assertPersonsSession,
}
