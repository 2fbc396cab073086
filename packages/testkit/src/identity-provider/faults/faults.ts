import {
  type AuthorizationFaultName,
  authorizationFaults,
  type PushedFaultName,
  pushedFaults,
  type SignedAnswerFaultName,
  signedAnswerFaults,
} from "./authorization-faults.js"
import { type DiscoveryFaultName, discoveryFaults } from "./discovery-faults.js"
import type { Effects, Fault, FaultContext, FaultPoints } from "./fault.js"
import {
  type IdTokenFaultName,
  idTokenFaults,
  type TokenFaultName,
  tokenFaults,
  type UserinfoFaultName,
  userinfoFaults,
} from "./token-faults.js"
import { type TransportFaultName, transportFaults } from "./transport-faults.js"

export type FaultName =
  | AuthorizationFaultName
  | DiscoveryFaultName
  | IdTokenFaultName
  | PushedFaultName
  | SignedAnswerFaultName
  | TokenFaultName
  | TransportFaultName
  | UserinfoFaultName

/** Every way in which the fake identity provider can misbehave. */
export const faults: Readonly<Record<FaultName, Fault>> = {
  ...discoveryFaults,
  ...pushedFaults,
  ...authorizationFaults,
  ...signedAnswerFaults,
  ...tokenFaults,
  ...idTokenFaults,
  ...userinfoFaults,
  ...transportFaults,
}

/** The names of the faults, all of them or those of which something is true. */
export function faultNames(matches: (fault: Fault) => boolean = () => true): readonly FaultName[] {
  // The keys of the table are its names.
  return (Object.keys(faults) as FaultName[]).filter((name) => matches(faults[name]))
}

/** Turns faults on and off. Several work together, in the order in which they were turned on. */
export interface FaultSwitches {
  /** @param wanted Names of the table, or effects that a test words itself. */
  turnOn(...wanted: readonly (FaultName | Effects)[]): void
  turnOff(...unwanted: readonly (FaultName | Effects)[]): void
  clear(): void
  readonly active: readonly (FaultName | Effects)[]
}

/** Passes a value through what the active faults do at one point. */
export type ApplyFaults = <Point extends keyof FaultPoints>(
  point: Point,
  value: FaultPoints[Point],
  context: FaultContext,
) => Promise<FaultPoints[Point]>

export function createFaultSwitches(): { readonly switches: FaultSwitches; readonly apply: ApplyFaults } {
  const active = new Set<FaultName | Effects>()
  return {
    switches: {
      turnOn(...wanted) {
        for (const fault of wanted) active.add(fault)
      },
      turnOff(...unwanted) {
        for (const fault of unwanted) active.delete(fault)
      },
      clear: () => active.clear(),
      get active() {
        return [...active]
      },
    },
    async apply(point, value, context) {
      let changed = value
      for (const fault of active) {
        const change = toEffects(fault)[point]
        if (change) changed = await change(changed, context)
      }
      return changed
    },
  }
}

function toEffects(fault: FaultName | Effects): Effects {
  if (typeof fault !== "string") return fault
  const found: Fault | undefined = faults[fault]
  if (!found) throw new Error(`There is no fault ${fault}`)
  return found.effects
}
