// Imported as `@latchkey/core/providers/email`.

import type { EmailConfig } from "../types/providers.js"
import { Nodemailer, type NodemailerOptions } from "./nodemailer.js"

/**
 * The mailed link under the id `email`. Callback URL and environment names follow that id.
 * @deprecated Use {@link Nodemailer}; keep this one where sign-in pages or stored accounts name `email`.
 * @throws TypeError without `server`.
 */
export function Email(options: NodemailerOptions): EmailConfig {
  return { ...Nodemailer(options), id: "email", name: "Email" }
}

export default Email
