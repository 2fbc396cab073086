import type { EmailProof } from "../../account/proof.js"
import { checkMailedCode, countGuess, spentCode } from "../../checks/mail-code.js"
import type { MailFlow } from "../../checks/mail-flow.js"
import { InvalidRequest, Verification } from "../../errors/errors.js"
import { type AuthRequest, findField } from "../../http/request.js"
import type { EmailConfig } from "../../types/providers.js"
import type { Proven } from "../steps.js"
import { consumeToken } from "./follow-link.js"
import { type EmailDeps, findAddressOwner } from "./resolve-user.js"

/**
 * Takes the code that was typed where the sign-in began, and consumes the token of the link in the same mail.
 * @throws CodeWrong while there are guesses left
 * @throws CodeSpent when this browser has no mail whose code can be typed
 */
export async function submitCode(
  request: AuthRequest,
  provider: EmailConfig,
  deps: EmailDeps,
): Promise<Proven<EmailProof>> {
  const typed = findField(request, "code")
  if (typed === undefined) throw new InvalidRequest("code must be text")
  const flow = await findFlow(request, provider, deps)
  // First: once its five guesses are used, a mail must not use up the budgets of its address, too.
  const guess = flow && (await countGuess(flow, { ...deps, owner: provider }))
  // Also counted without a flow: a code of one provider must not be tried at another for free.
  const attempt = await deps.limits.tryToken({ address: flow?.identifier, provider, isGuessable: true }, request)
  if (flow === undefined || guess === undefined)
    throw spentCode("No mail with a code was requested in this browser", provider)
  const endMail = () => endLink(flow, provider, deps)
  await checkMailedCode({ typed, guess }, flow, { ...deps, owner: provider, endLink: endMail })
  const identifier = await consumeToken({ token: flow.token, email: flow.identifier }, provider, deps)
  await attempt.succeed()
  return { proof: await findAddressOwner(identifier, provider, deps.store), callbackUrl: flow.target, cookies: [] }
}

/** The flow that the form names, or the newest one with a code. Only one: a guess must not count for several codes. */
async function findFlow(
  request: AuthRequest,
  provider: EmailConfig,
  { flows }: EmailDeps,
): Promise<MailFlow | undefined> {
  const pending = (await flows.find(request.cookies, provider.id)).filter(({ code }) => code !== undefined)
  const named = findField(request, "flow")
  return named === undefined ? pending[0] : pending.find(({ id }) => id === named)
}

/** Removes the token of the mail. */
async function endLink({ token, identifier }: MailFlow, provider: EmailConfig, deps: EmailDeps): Promise<void> {
  try {
    await consumeToken({ token, email: identifier }, provider, deps)
  } catch (error) {
    if (!(error instanceof Verification)) throw error
  }
}
