import { readString } from "../protocol.js"
import { type Flowing, proceed, resumeProof } from "./after-proof.js"
import { createFlow, type Flow, type FlowOptions, type View } from "./flow.js"
import { type Path, post, read } from "./requests.js"
import type { CodeStep, SignUpFields, SignUpFlowStep, SignUpFormStep } from "./steps.js"

type SignUp = Flowing<SignUpFlowStep>
type SignUpView = View<SignUpFlowStep>

const path: Path = ["password", "sign-up"]

/**
 * A sign-up with `Passwords()`: address, password and the fields of the app, then the code of an email, which creates the
 * account. Then as after a sign-in. What follows is the same for an address that has an account.
 * @example
 * const flow = createSignUpFlow({ redirectTo: "/welcome" })
 * flow.subscribe(() => show(flow.getState()))
 */
export function createSignUpFlow(options: FlowOptions = {}): Flow<SignUpFlowStep> {
  return createFlow<SignUpFlowStep>(options, (connection) => {
    const flow: SignUp = {
      ...connection,
      first: () => toFormView("", flow),
    }
    return {
      name: "sign-up",
      initial: toFormView("", flow),
      resume(kept) {
        return kept?.step === "code" ? () => readCode(flow) : resumeProof(kept, flow)
      },
    }
  })
}

function toFormView(identifier: string, flow: SignUp): SignUpView {
  return {
    create: (act): SignUpFormStep => ({
      step: "identifier",
      identifier,
      submit: act(async (fields: SignUpFields) => {
        await post(flow, path, fields)
        return readCode(flow)
      }),
    }),
  }
}

/** What the service says about the email of this browser. Without one, the flow begins again. */
async function readCode(flow: SignUp): Promise<SignUpView> {
  const content = await read(flow, path, { step: "code" })
  const address = readString(content, "address")
  const named = readString(content, "flow")
  if (address === undefined) return toFormView("", flow)
  return {
    kept: { step: "code" },
    create: (act): CodeStep => ({
      step: "code",
      address,
      hasCode: true,
      submit: act(async (code: string) => proceed(await post(flow, path, { code, flow: named }), flow)),
      resend: act(async () => {
        await post(flow, path, { again: "", flow: named })
        return readCode(flow)
      }),
      back: act(async () => toFormView(address, flow)),
    }),
  }
}
