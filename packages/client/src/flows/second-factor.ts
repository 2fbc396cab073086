import { type Flowing, resumeProof, showFactor } from "./after-proof.js"
import { createFlow, type Flow, type FlowOptions } from "./flow.js"
import type { ExpiredStep, SecondFactorFlowStep } from "./steps.js"

/**
 * The second factor of a sign-in that waits for it in this browser, such as one that began on another page.
 * @example
 * const flow = createSecondFactorFlow({ redirectTo: "/inbox" })
 * flow.subscribe(() => show(flow.getState()))
 */
export function createSecondFactorFlow(options: FlowOptions = {}): Flow<SecondFactorFlowStep> {
  return createFlow<SecondFactorFlowStep>(options, (connection) => {
    const flow: Flowing<SecondFactorFlowStep> = {
      ...connection,
      first: () => ({ create: (): ExpiredStep => ({ step: "expired" }) }),
      isAlone: true,
    }
    return {
      name: "second-factor",
      initial: undefined,
      resume: (kept) => resumeProof(kept, flow) ?? (() => showFactor(flow)),
    }
  })
}
