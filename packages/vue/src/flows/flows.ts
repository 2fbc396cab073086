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
import { onMounted, onScopeDispose, type ShallowRef, shallowRef } from "vue"

/**
 * A sign-in: who, then by a password, a mailed code or a passkey, then a second factor if the service asks for it.
 * A ref: `flow.value.step` in scripts, `flow.step` in templates.
 * @example const flow = useSignIn({ redirectTo: "/inbox" })
 */
export function useSignIn(options: SignInFlowOptions = {}): Readonly<ShallowRef<FlowState<SignInFlowStep>>> {
  return useFlow(createSignInFlow, options)
}

/**
 * A sign-up with `Passwords()`: address, password and the fields of the app, then the code of an email.
 * A ref: `flow.value.step` in scripts, `flow.step` in templates.
 * @example const flow = useSignUp({ redirectTo: "/welcome" })
 */
export function useSignUp(options: FlowOptions = {}): Readonly<ShallowRef<FlowState<SignUpFlowStep>>> {
  return useFlow(createSignUpFlow, options)
}

/**
 * A forgotten password of `Passwords()`: the address, then the code of an email with the new password.
 * A ref: `flow.value.step` in scripts, `flow.step` in templates.
 * @example const flow = usePasswordReset()
 */
export function usePasswordReset(options: FlowOptions = {}): Readonly<ShallowRef<FlowState<PasswordResetFlowStep>>> {
  return useFlow(createPasswordResetFlow, options)
}

/**
 * The second factor of a sign-in that waits for it in this browser, such as one that began on another page.
 * A ref: `flow.value.step` in scripts, `flow.step` in templates.
 * @example const flow = useSecondFactor({ redirectTo: "/inbox" })
 */
export function useSecondFactor(options: FlowOptions = {}): Readonly<ShallowRef<FlowState<SecondFactorFlowStep>>> {
  return useFlow(createSecondFactorFlow, options)
}

function useFlow<Options extends FlowOptions, Step>(
  create: (options: Options) => Flow<Step>,
  options: Options,
): Readonly<ShallowRef<FlowState<Step>>> {
  const flow = create(options)
  // What the server has rendered, until the component is mounted.
  // as: a state is no ref itself, which the compiler does not know of a type parameter.
  const state = shallowRef(flow.getInitialState()) as ShallowRef<FlowState<Step>>
  let unsubscribe = (): void => undefined
  onMounted(() => {
    unsubscribe = flow.subscribe(() => {
      state.value = flow.getState()
    })
    state.value = flow.getState()
  })
  onScopeDispose(() => unsubscribe())
  return state
}
