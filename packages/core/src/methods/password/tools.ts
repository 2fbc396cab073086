import { InvalidConfiguration } from "../../errors/errors.js"
import type { ActionContext, AddressRestoredHook, ServiceFeature, SessionStartHook } from "../../features/feature.js"
import { createMailTools, type MailTools, type MailVisit } from "../../mail/mailed-secret.js"
import type { MailerFeature } from "../../mail/own-sender.js"
import type { Feature } from "../../types/resolved.js"
import { leastLength, type PasswordSettings } from "./options.js"

/** What `Passwords()` brings, as the service sees it. */
export interface PasswordFeature extends Feature, SessionStartHook, MailerFeature, AddressRestoredHook {
  readonly feature: "passwords"
  /** Resolved when they are first used. */
  passwords(): PasswordSettings
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
export function openTools({
  features,
  store,
  secrets,
  cookies,
}: Pick<ActionContext, "features" | "store" | "secrets" | "cookies">): Tools {
  const feature = features.find(isPasswordFeature)
  if (!feature || !store) throw new InvalidConfiguration("providers: there are no passwords. Add Passwords({ mail })")
  const settings = feature.passwords()
  return {
    settings,
    minLength: leastLength(settings, features),
    ...createMailTools(store, { secrets, cookies }),
  }
}

function isPasswordFeature(feature: ServiceFeature): feature is PasswordFeature {
  return feature.feature === "passwords"
}
