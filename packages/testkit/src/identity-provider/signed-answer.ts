import type { Establishment } from "./establishment.js"
import type { AuthorizationAnswer, FaultContext } from "./faults/fault.js"
import { sign, signingByKey } from "./signing.js"

const lifetimeSeconds = 600

interface SignedAnswerNeeds {
  readonly establishment: Establishment
  readonly context: FaultContext
}

/** The answer as one signed token, JWT Secured Authorization Response Mode (JARM) section 2.1. */
export async function signAnswer(
  { params, mode }: AuthorizationAnswer,
  { establishment, context }: SignedAnswerNeeds,
): Promise<AuthorizationAnswer> {
  const { apply, issuer } = establishment
  const honest = {
    ...Object.fromEntries(params),
    iss: issuer,
    aud: context.client?.client_id,
    exp: Math.floor(Date.now() / 1000) + lifetimeSeconds,
  }
  const claims = await apply("answerClaims", honest, context)
  const signing = await apply("answerSigning", await signingByKey(establishment), context)
  const token = await apply("answerToken", await sign(JSON.stringify(claims), signing), context)
  return apply("signedAnswer", { params: new URLSearchParams({ response: token }), mode }, context)
}
