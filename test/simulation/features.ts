import { accountArea } from "@latchkey/core/account-area"
import { nativeApps } from "@latchkey/core/native-apps"
import Passwords, { type AddressedMail } from "@latchkey/core/providers/passwords"
import type { AuthConfig, Provider } from "@latchkey/core/types"
import type { MailPurpose } from "./facts.js"
import { deliverMail } from "./mail-server.js"
import { nativeClients } from "./native-rules.js"
import type { Surroundings } from "./surroundings.js"

/** The built-in passwords, in place of a host's own directory. */
export function createPasswords(index: number, around: Surroundings): Provider {
  return Passwords({
    mail: { send: (mail) => deliverMail({ provider: "password", ...readMail(mail) }, index, around) },
    // A list is a service of its own, and of no use to the model.
    breached: false,
  })
}

/** Where the host's job deletes the users whose time has come. */
export const deletionJobPath = "/app/delete-due-users"
/** Where the host imports the second factors that a user had in a former system. */
export const importPath = "/app/import-factors"
/** Days between the request of a user and the deletion, where it is planned. */
export const deletionDays = 1

/** The pages where users manage their own account. */
export function createArea(index: number, around: Surroundings): NonNullable<AuthConfig["accountArea"]> {
  return accountArea({
    mail: { send: (mail) => deliverMail({ provider: "account", ...readMail(mail) }, index, around) },
    deleteAfterDays: around.setting.isDeletionPlanned ? deletionDays : 0,
  })
}

export function createNative(): NonNullable<AuthConfig["nativeApps"]> {
  return nativeApps({ clients: nativeClients })
}

const purposes: Readonly<Record<string, MailPurpose>> = {
  "/auth/password/sign-up": "sign-up",
  "/auth/password/reset": "reset",
  "/auth/password/change": "add",
  "/auth/account/email": "change",
  "/auth/account/email/undo": "undo",
}

/** What a reader finds in a mail. */
function readMail({ to, text }: Pick<AddressedMail, "to" | "text">) {
  const [url = ""] = /https:[/][/]\S+/.exec(text) ?? []
  const [code] = /^\d{6}$/m.exec(text) ?? []
  const { pathname, searchParams } = new URL(url)
  const token = searchParams.get("token")
  // The mail with the code that adds a password has no link with a token.
  const hasSecret = token !== null || code !== undefined
  return { to, url, code, purpose: purposes[pathname], token: token ?? "", hasSecret }
}
