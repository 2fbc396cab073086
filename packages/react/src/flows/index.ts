"use client"

// Imported as `@latchkey/react/flows`.
export type {
  AfterProofStep,
  CodeStep,
  DoneStep,
  EnrollStep,
  ExpiredStep,
  FactorKind,
  FlowError,
  FlowErrorCode,
  FlowMessages,
  FlowOptions,
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
  SignInFlowOptions,
  SignInFlowStep,
  SignUpFields,
  SignUpFlowStep,
  SignUpFormStep,
} from "@latchkey/client/flows"
export { usePasswordReset, useSecondFactor, useSignIn, useSignUp } from "./flows.js"
