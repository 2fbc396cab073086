import { beginFlow, type NewFlow, type StartedFlow } from "./begin-flow.js"
import { type FlowNeeds, statePurpose } from "./flow.js"
import { type ResumedFlow, type ReturningFlow, resumeFlow } from "./resume-flow.js"

/** Sign-in flows at a provider. Each has its own cookies, so that several tabs do not disturb one another. */
export interface Flows {
  begin(flow: NewFlow): Promise<StartedFlow>
  resume(flow: ReturningFlow): Promise<ResumedFlow>
  /** The address that a state asks to be passed on to; null when it names none or is not ours. */
  findReturnAddress(state: string): Promise<string | null>
}

export function createFlows(needs: FlowNeeds): Flows {
  return {
    begin: (flow) => beginFlow(needs, flow),
    resume: (flow) => resumeFlow(needs, flow),
    async findReturnAddress(state) {
      const claims = await needs.sealer.open(statePurpose, state)
      return typeof claims?.["origin"] === "string" ? claims["origin"] : null
    },
  }
}
