import { InvalidConfiguration } from "../../errors/errors.js"
import { type ActionContext, getOwn } from "../../features/feature.js"
import { createMailTools, type MailTools, type MailVisit } from "../../mail/mailed-secret.js"
import { leastLength, type PasswordSettings } from "./options.js"

/** What the code of passwords shares. */
export interface OwnPasswords {
  /** Resolved when they are first used. */
  getSettings(): PasswordSettings
}

/** What the steps and the routes work with. */
export interface Tools extends MailTools {
  readonly settings: PasswordSettings
  readonly minLength: number
}

/** A request to a page of passwords. */
export interface Visit extends MailVisit {
  readonly context: ActionContext
  readonly tools: Tools
}

/** @throws InvalidConfiguration without `Passwords()` */
export function openTools(context: Pick<ActionContext, "features" | "slots" | "store" | "secrets" | "cookies">): Tools {
  const { store, secrets, cookies } = context
  const own = getOwn<OwnPasswords>(context, "passwords")
  if (!own || !store) throw new InvalidConfiguration("providers: there are no passwords. Add Passwords({ mail })")
  const settings = own.getSettings()
  return {
    settings,
    minLength: leastLength(settings, context),
    ...createMailTools(store, { secrets, cookies }),
  }
}
