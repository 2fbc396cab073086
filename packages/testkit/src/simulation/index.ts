// Imported as `@latchkey/testkit/simulation`.
export type { Violation } from "./model.js"
export { reportOf } from "./report.js"
export { type SimulationOptions, type SimulationResult, simulate } from "./run.js"
export type { Setting } from "./setting.js"
export { shrink } from "./shrink.js"
