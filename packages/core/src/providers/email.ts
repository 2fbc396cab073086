// Imported as `@latchkey/core/providers/email`.

import type { EmailConfig } from "../types/providers.js"
import { Nodemailer, type NodemailerOptions } from "./nodemailer.js"

/**
 * Sign-in by email link, with the ID `email`, which also appears in the callback URL and in environment variables.
 * @deprecated Use {@link Nodemailer}. Keep this provider if your sign-in pages or stored accounts use `email`.
 * @throws TypeError without `server`.
 */
export function Email(options: NodemailerOptions): EmailConfig {
  return { ...Nodemailer(options), id: "email", name: "Email" }
}

export default Email
