import { CodeSpent, CodeWrong } from "../errors/errors.js"
import { isCode } from "../mail/secret.js"
import { systemClock } from "../runtime/promise.js"
import type { EmailConfig } from "../types/providers.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { type MailFlow, maxGuesses, takeGuess } from "./mail-flow.js"
import type { ReplayGuard } from "./replay.js"

interface MailCodeDeps {
  /** The provider that mailed the code. */
  readonly owner: Pick<EmailConfig, "id" | "secret">
  readonly config: Pick<ResolvedConfig, "secrets">
  /** Counts the guesses. */
  readonly guesses: ReplayGuard
  /** Removes the token of the mail, after too many guesses. */
  readonly endLink: () => Promise<unknown>
}

/**
 * Counts a guess at the code of a mail, and compares it.
 * @throws CodeWrong while there are guesses left, else CodeSpent
 */
export async function checkMailedCode(typed: string, flow: MailFlow, deps: MailCodeDeps): Promise<void> {
  const { code, mailId } = flow
  const { owner, config, guesses, endLink } = deps
  if (code === undefined || code.expires <= systemClock()) throw spentCode("The code has expired", owner)
  const guess = await takeGuess(flow, guesses)
  if (guess === null) throw spentCode("The code was tried too often, or was replaced by another mail", owner, "guesses")
  if (await isCode(typed, { hash: code.hash, flow: mailId }, owner, config)) return
  if (guess < maxGuesses) throw new CodeWrong("The code is wrong", { provider: owner.id })
  await endLink()
  throw spentCode("The code was wrong too often. Its link was removed, too", owner, "guesses")
}

/** @param error What the page says: see `findErrorMessage`. */
export function spentCode(
  message: string,
  { id }: Pick<EmailConfig, "id">,
  error: "code" | "guesses" = "code",
): CodeSpent {
  return new CodeSpent(message, { provider: id, error })
}
