import type { Clock } from "../contract/clock.js"
import { randomId } from "../crypto/random.js"

/** Names one sign-in flow of one browser. Begins with its time, so that ids sort by age without being opened. */
export type FlowId = string & { readonly checked: "flow-id" }

const timeLength = 9
const pattern = /^[0-9a-z]{9}[0-9A-Za-z_-]{10}$/

export function createFlowId(clock: Clock): FlowId {
  const time = clock().toString(36).padStart(timeLength, "0")
  return `${time}${randomId(10)}` as FlowId // Made to fit the pattern.
}

export function isFlowId(text: unknown): text is FlowId {
  return typeof text === "string" && pattern.test(text)
}
