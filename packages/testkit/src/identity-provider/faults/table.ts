import { type AuthorizationFaultName, authorizationFaults } from "./authorization-faults.js"
import { type DiscoveryFaultName, discoveryFaults } from "./discovery-faults.js"
import type { Fault } from "./fault.js"
import { type IdTokenFaultName, idTokenFaults } from "./id-token-faults.js"
import { type PushedFaultName, pushedFaults } from "./pushed-faults.js"
import { type SignedAnswerFaultName, signedAnswerFaults } from "./signed-answer-faults.js"
import { type TokenFaultName, tokenFaults } from "./token-faults.js"
import { type TransportFaultName, transportFaults } from "./transport-faults.js"
import { type UserinfoFaultName, userinfoFaults } from "./userinfo-faults.js"

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
