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
import { createSubscriber } from "svelte/reactivity"

/** What a flow shows. Its fields are reactive: those of the step that is shown. */
export type ReactiveFlow<Step> = FlowState<Step>

/**
 * A sign-in: who, then by a password, a mailed code or a passkey, then a second factor if the service asks for it.
 * Do not take it apart: its fields are reactive.
 * @example const flow = useSignIn({ redirectTo: "/inbox" })
 */
export function useSignIn(options: SignInFlowOptions = {}): ReactiveFlow<SignInFlowStep> {
  return useFlow(createSignInFlow, options)
}

/**
 * A sign-up with `Passwords()`: address, password and the fields of the app, then the code of an email.
 * Do not take it apart: its fields are reactive.
 * @example const flow = useSignUp({ redirectTo: "/welcome" })
 */
export function useSignUp(options: FlowOptions = {}): ReactiveFlow<SignUpFlowStep> {
  return useFlow(createSignUpFlow, options)
}

/**
 * A forgotten password of `Passwords()`: the address, then the code of an email with the new password.
 * Do not take it apart: its fields are reactive.
 * @example const flow = usePasswordReset()
 */
export function usePasswordReset(options: FlowOptions = {}): ReactiveFlow<PasswordResetFlowStep> {
  return useFlow(createPasswordResetFlow, options)
}

/**
 * The second factor of a sign-in that waits for it in this browser, such as one that began on another page.
 * Do not take it apart: its fields are reactive.
 * @example const flow = useSecondFactor({ redirectTo: "/inbox" })
 */
export function useSecondFactor(options: FlowOptions = {}): ReactiveFlow<SecondFactorFlowStep> {
  return useFlow(createSecondFactorFlow, options)
}

function useFlow<Options extends FlowOptions, Step>(
  create: (options: Options) => Flow<Step>,
  options: Options,
): ReactiveFlow<Step> {
  const flow = create(options)
  const follow = createSubscriber((onChange) => flow.subscribe(onChange))
  const read = (): object => {
    follow()
    return flow.getState() as object // as: a step is an object.
  }
  // as: each field is that of the state. Which ones there are depends on the step.
  return new Proxy(
    {},
    {
      get: (_, name) => Reflect.get(read(), name),
      has: (_, name) => Reflect.has(read(), name),
    },
  ) as ReactiveFlow<Step>
}
