import Passwords, { type PasswordMail } from "@latchkey/core/providers/passwords"
import type { Provider } from "@latchkey/core/types"
import type { MailPurpose } from "./facts.js"
import { deliverMail } from "./mail-server.js"
import type { Surroundings } from "./surroundings.js"

/** The built-in passwords, in place of a host's own directory. */
export function createPasswords(index: number, around: Surroundings): Provider {
  return Passwords({
    mail: { send: (mail) => deliverMail({ provider: "password", ...readMail(mail) }, index, around) },
    // A list is a service of its own, and of no use to the model.
    breached: false,
  })
}

const purposes: Readonly<Record<string, MailPurpose>> = {
  "/auth/password/sign-up": "sign-up",
  "/auth/password/reset": "reset",
  "/auth/password/change": "add",
}

/** What a reader finds in a mail. */
function readMail({ to, text }: PasswordMail) {
  const [url = ""] = /https:[/][/]\S+/.exec(text) ?? []
  const [code] = /^\d{6}$/m.exec(text) ?? []
  const { pathname, searchParams } = new URL(url)
  const purpose = purposes[pathname]
  return { to, url, code, purpose, token: searchParams.get("token") ?? "", hasSecret: code !== undefined }
}
