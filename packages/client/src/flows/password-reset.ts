import { readString } from "../protocol.js"
import { type Flowing, proceed, resumeProof } from "./after-proof.js"
import { createFlow, type Flow, type FlowOptions, type View } from "./flow.js"
import { type Path, post, read } from "./requests.js"
import type { ForgotStep, NewPasswordStep, PasswordResetFlowStep } from "./steps.js"

type Reset = Flowing<PasswordResetFlowStep>
type ResetView = View<PasswordResetFlowStep>

const forgot: Path = ["password", "forgot"]
const reset: Path = ["password", "reset"]

/**
 * A forgotten password of `Passwords()`: the address, then the code of an email with the new password. Then as after a sign-in: a
 * user with a second factor is asked for it. What follows is the same for an address without an account.
 * @example
 * const flow = createPasswordResetFlow()
 * flow.subscribe(() => show(flow.getState()))
 */
export function createPasswordResetFlow(options: FlowOptions = {}): Flow<PasswordResetFlowStep> {
  return createFlow<PasswordResetFlowStep>(options, (connection) => {
    const flow: Reset = {
      ...connection,
      first: () => toForgotView("", flow),
    }
    return {
      name: "password-reset",
      initial: toForgotView("", flow),
      resume(kept) {
        return kept?.step === "code" ? () => readCode(flow) : resumeProof(kept, flow)
      },
    }
  })
}

function toForgotView(identifier: string, flow: Reset): ResetView {
  return {
    create: (act): ForgotStep => ({
      step: "identifier",
      identifier,
      submit: act(async (email: string) => {
        await post(flow, forgot, { email })
        return readCode(flow)
      }),
    }),
  }
}

/** What the service says about the email of this browser. Without one, the flow begins again. */
async function readCode(flow: Reset): Promise<ResetView> {
  const content = await read(flow, reset)
  const address = readString(content, "address")
  const named = readString(content, "flow")
  if (address === undefined) return toForgotView("", flow)
  return {
    kept: { step: "code" },
    create: (act): NewPasswordStep => ({
      step: "code",
      address,
      hasCode: true,
      submit: act(async ({ code, password }: NewPassword) =>
        proceed(await post(flow, reset, { code, password, flow: named }), flow),
      ),
      resend: act(async () => {
        await post(flow, forgot, { email: address, again: "" })
        return readCode(flow)
      }),
      back: act(async () => toForgotView(address, flow)),
    }),
  }
}

type NewPassword = Parameters<NewPasswordStep["submit"]>[0]
