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
 * Counts a guess at the code of a mail before it is checked: 1 for the first.
 * @throws CodeSpent
 */
export async function countGuess(
  flow: MailFlow,
  { owner, guesses }: Pick<MailCodeDeps, "owner" | "guesses">,
): Promise<number> {
  if (flow.code === undefined || flow.code.expires <= systemClock()) throw spentCode("The code has expired", owner)
  const guess = await takeGuess(flow, guesses)
  if (guess !== null) return guess
  throw spentCode("The code was tried too often, or was replaced by another mail", owner, "guesses")
}

interface Guess {
  readonly typed: string
  /** From `countGuess`. */
  readonly guess: number
}

/**
 * Compares what was typed with the code of a mail.
 * @throws CodeWrong while there are guesses left, else CodeSpent
 */
export async function checkMailedCode({ typed, guess }: Guess, flow: MailFlow, deps: MailCodeDeps): Promise<void> {
  const { owner, config, endLink } = deps
  const hash = flow.code?.hash ?? ""
  if (await isCode(typed, { hash, flow: flow.mailId }, owner, config)) return
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
