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

/** The name of a fault, such as `id-token-expired`. */
export type FaultName =
  | AuthorizationFaultName
  | DiscoveryFaultName
  | IdTokenFaultName
  | PushedFaultName
  | SignedAnswerFaultName
  | TokenFaultName
  | TransportFaultName
  | UserinfoFaultName

/** Every fault of the fake identity provider. */
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

/** Lists the names of all faults, or of those that match. */
export function faultNames(matches: (fault: Fault) => boolean = () => true): readonly FaultName[] {
  // as: the keys of the table
  return (Object.keys(faults) as FaultName[]).filter((name) => matches(faults[name]))
}

/** Turns faults on and off. Active faults apply in the order in which they were turned on. */
export interface FaultSwitches {
  /** @param wanted Names of {@link faults}, or effects of the test's own. */
  turnOn(...wanted: readonly (FaultName | Effects)[]): void
  /** Ignores faults that are not active. */
  turnOff(...unwanted: readonly (FaultName | Effects)[]): void
  /** Turns all faults off. */
  clear(): void
  /** The active faults, in order. */
  readonly active: readonly (FaultName | Effects)[]
}

/** Applies the effects of the active faults at one point to a value. */
export type ApplyFaults = <Point extends keyof FaultPoints>(
  point: Point,
  value: FaultPoints[Point],
  context: FaultContext,
) => Promise<FaultPoints[Point]>

/** Creates the switches of one identity provider, all off. */
export function createFaultSwitches(): { readonly switches: FaultSwitches; readonly apply: ApplyFaults } {
  const active = new Set<FaultName | Effects>()
  return {
    switches: {
      turnOn(...wanted) {
        for (const fault of wanted) active.add(fault)
      },
      /** Ignores faults that are not active. */
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
  if (!found) throw new Error(`Unknown fault "${fault}"`)
  return found.effects
}
