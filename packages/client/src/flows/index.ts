// Imported as `@latchkey/client/flows`: sign-in, sign-up, password reset and second factors, for forms of your own.
export type { Flow, FlowOptions } from "./flow.js"
export type { FlowError, FlowErrorCode, FlowMessages } from "./flow-error.js"
export { createPasswordResetFlow } from "./password-reset.js"
export { createSecondFactorFlow } from "./second-factor.js"
export { createSignInFlow, type SignInFlowOptions } from "./sign-in.js"
export { createSignUpFlow } from "./sign-up.js"
export type {
  AfterProofStep,
  CodeStep,
  DoneStep,
  EnrollStep,
  ExpiredStep,
  FactorKind,
  FlowProvider,
  FlowState,
  ForgotStep,
  IdentifierStep,
  LoadingStep,
  NewPasswordStep,
  PageStep,
  PasskeyStep,
  PasswordResetFlowStep,
  PasswordStep,
  RecoveryCodesStep,
  SecondFactorFlowStep,
  SecondFactorStep,
  SignInFlowStep,
  SignUpFields,
  SignUpFlowStep,
  SignUpFormStep,
} from "./steps.js"
