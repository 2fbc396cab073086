import type { ActionContext } from "../../features/feature.js"
import type { AuthRequest } from "../../http/request.js"
import type { Log } from "../../log/log.js"
import { isBreached, onlineList } from "./breached.js"
import { isCommon, isGuessable } from "./guessable.js"
import type { PasswordSettings } from "./options.js"
import { PasswordRefused, prepareNewPassword } from "./text.js"
import type { Tools } from "./tools.js"

/** What a new password is judged by. */
interface PolicyContext {
  readonly settings: Pick<PasswordSettings, "blocked" | "breached">
  readonly minLength: number
  /** The user's address with its parts, and the names of the site. */
  readonly names: readonly string[]
  readonly log: Log
}

/** A new password that may be used. */
interface NewPassword {
  /** Normalized. */
  readonly text: string
  /** Whether it could be looked up. If not, that happens at the next sign-in. */
  readonly isChecked: boolean
}

/**
 * Judges a new password: its length, whether it is easy to guess, and whether it is known from a data breach. It may have
 * any characters (NIST SP 800-63B-4 section 3.1.1.2).
 * @throws PasswordRefused
 */
async function checkNewPassword(typed: string, context: PolicyContext): Promise<NewPassword> {
  const { settings, minLength, names, log } = context
  const text = prepareNewPassword(typed)
  if ([...text].length < minLength) throw new PasswordRefused("too-short")
  if (isGuessable(text, [...settings.blocked, ...names])) throw new PasswordRefused("blocked")
  if (await isCommon(text)) throw new PasswordRefused("breached")
  if (settings.breached === false) return { text, isChecked: true }
  const found = await isBreached(text, settings.breached === "online" ? onlineList : settings.breached, log)
  if (found) throw new PasswordRefused("breached")
  return { text, isChecked: found !== null }
}

/**
 * Judges a new password of the user with an address, and hashes it.
 * @param address Some users have none.
 * @throws PasswordRefused
 */
export async function hashNewPassword(
  typed: string,
  address: string | null,
  { settings, minLength }: Tools,
  { log, theme, url }: Pick<ActionContext, "log" | "theme"> & Partial<Pick<AuthRequest, "url">>,
): Promise<string> {
  const [localPart = ""] = (address ?? "").split("@")
  const names = [address ?? "", localPart, ...localPart.split(/[._+-]/), theme.name ?? "", url?.hostname ?? ""]
  const checked: NewPassword = await checkNewPassword(typed, { settings, minLength, names, log })
  return settings.hashing.hash(checked.text, checked)
}
