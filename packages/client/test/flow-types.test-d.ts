import { expectTypeOf, it } from "vitest"
import type {
  FlowError,
  FlowState,
  PasswordResetFlowStep,
  SecondFactorFlowStep,
  SignInFlowStep,
  SignUpFlowStep,
} from "../src/flows/index.js"

type ActionOf<Step, Name extends string> = Exclude<
  keyof Extract<FlowState<Step>, { readonly step: Name }>,
  "step" | "error" | "isPending"
>

it("has exactly the actions that fit each step", () => {
  expectTypeOf<ActionOf<SignInFlowStep, "identifier">>().toEqualTypeOf<
    "identifier" | "providers" | "submit" | "openProvider" | "askForPasskey"
  >()
  expectTypeOf<ActionOf<SignInFlowStep, "password">>().toEqualTypeOf<
    "identifier" | "submit" | "sendCode" | "askForPasskey" | "back"
  >()
  expectTypeOf<ActionOf<SignInFlowStep, "done">>().toEqualTypeOf<"url" | "session">()
  expectTypeOf<ActionOf<SignUpFlowStep, "identifier">>().toEqualTypeOf<"identifier" | "submit">()
  expectTypeOf<ActionOf<SecondFactorFlowStep, "expired">>().toEqualTypeOf<never>()
})

it("tells the steps apart", () => {
  const read = (flow: FlowState<SignInFlowStep>) => {
    expectTypeOf(flow.error).toEqualTypeOf<FlowError | null>()
    if (flow.step === "second-factor") return expectTypeOf(flow.kind).toEqualTypeOf<"totp" | "recovery">()
    if (flow.step === "password") return expectTypeOf(flow.submit).toEqualTypeOf<(password: string) => Promise<void>>()
    return undefined
  }
  expectTypeOf(read).toBeFunction()
  expectTypeOf<SignInFlowStep["step"]>().toEqualTypeOf<
    | "loading"
    | "identifier"
    | "password"
    | "code"
    | "second-factor"
    | "passkey"
    | "enroll"
    | "recovery-codes"
    | "page"
    | "done"
  >()
})

it("asks for code and password together to reset one", () => {
  type Step = Extract<PasswordResetFlowStep, { readonly step: "code" }>
  expectTypeOf<Parameters<Step["submit"]>[0]>().toEqualTypeOf<{ readonly code: string; readonly password: string }>()
})
