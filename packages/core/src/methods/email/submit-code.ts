import type { EmailProof } from "../../account/proof.js"
import { type MailFlow, maxGuesses, takeGuess } from "../../checks/mail-flow.js"
import { CodeSpent, CodeWrong, InvalidRequest, Verification } from "../../errors/errors.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { isCode } from "../../mail/secret.js"
import { systemClock } from "../../runtime/promise.js"
import type { EmailConfig } from "../../types/providers.js"
import type { Proven } from "../method.js"
import type { EmailDeps } from "./deps.js"
import { consumeToken } from "./follow-link.js"
import { findAddressOwner } from "./resolve-user.js"

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
  const guess = flow && (await countGuess(flow, provider, deps))
  // Also counted without a flow: a code of one provider must not be tried at another for free.
  const attempt = await deps.limits.tryToken({ address: flow?.identifier, provider, isGuessable: true }, request)
  if (flow?.code === undefined || guess === undefined)
    throw spent("No mail with a code was requested in this browser", provider)
  const { code, mailId } = flow
  if (!(await isCode(typed, { hash: code.hash, flow: mailId }, provider, deps.config))) {
    if (guess < maxGuesses) throw new CodeWrong("The code is wrong", { provider: provider.id })
    await endLink(flow, provider, deps)
    throw spent("The code was wrong too often. Its link was removed, too", provider, "guesses")
  }
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

/**
 * Counts a guess before it is checked: 1 for the first.
 * @throws CodeSpent
 */
async function countGuess(flow: MailFlow, provider: EmailConfig, { guesses }: EmailDeps): Promise<number> {
  if (flow.code === undefined || flow.code.expires <= systemClock()) throw spent("The code has expired", provider)
  const guess = await takeGuess(flow, guesses)
  if (guess !== null) return guess
  throw spent("The code was tried too often, or was replaced by another mail", provider, "guesses")
}

/** Removes the token of the mail. */
async function endLink({ token, identifier }: MailFlow, provider: EmailConfig, deps: EmailDeps): Promise<void> {
  try {
    await consumeToken({ token, email: identifier }, provider, deps)
  } catch (error) {
    if (!(error instanceof Verification)) throw error
  }
}

/** @param error What the page says: see `findErrorMessage`. */
function spent(message: string, { id }: EmailConfig, error: "code" | "guesses" = "code"): CodeSpent {
  return new CodeSpent(message, { provider: id, error })
}
