import {
  createPasswordResetFlow,
  createSecondFactorFlow,
  createSignInFlow,
  createSignUpFlow,
  type Flow,
  type FlowOptions,
  type FlowState,
  type PasswordResetFlowStep,
  type SecondFactorFlowStep,
  type SignInFlowOptions,
  type SignInFlowStep,
  type SignUpFlowStep,
} from "@latchkey/client/flows"
import { useState, useSyncExternalStore } from "react"
import { currentClient } from "../auth.js"

/**
 * A sign-in: who, then by a password, a mailed code or a passkey, then a second factor if the service asks for it.
 * The options are read at the first render.
 * @example const flow = useSignIn({ redirectTo: "/inbox" })
 */
export function useSignIn(options: SignInFlowOptions = {}): FlowState<SignInFlowStep> {
  return useFlow(createSignInFlow, options)
}

/**
 * A sign-up with `Passwords()`: address, password and the fields of the app, then the code of an email.
 * The options are read at the first render.
 * @example const flow = useSignUp({ redirectTo: "/welcome" })
 */
export function useSignUp(options: FlowOptions = {}): FlowState<SignUpFlowStep> {
  return useFlow(createSignUpFlow, options)
}

/**
 * A forgotten password of `Passwords()`: the address, then the code of an email with the new password.
 * The options are read at the first render.
 * @example const flow = usePasswordReset()
 */
export function usePasswordReset(options: FlowOptions = {}): FlowState<PasswordResetFlowStep> {
  return useFlow(createPasswordResetFlow, options)
}

/**
 * The second factor of a sign-in that waits for it in this browser, such as one that began on another page.
 * The options are read at the first render.
 * @example const flow = useSecondFactor({ redirectTo: "/inbox" })
 */
export function useSecondFactor(options: FlowOptions = {}): FlowState<SecondFactorFlowStep> {
  return useFlow(createSecondFactorFlow, options)
}

function useFlow<Options extends FlowOptions, Step>(
  create: (options: Options) => Flow<Step>,
  options: Options,
): FlowState<Step> {
  const [flow] = useState(() => create({ client: currentClient, ...options }))
  return useSyncExternalStore(flow.subscribe, flow.getState, flow.getInitialState)
}
