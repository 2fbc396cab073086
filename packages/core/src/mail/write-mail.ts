import type { VerificationRequestParams } from "../contract/email-provider.js"
import type { SignInMail } from "./sign-in-mail.js"

/** How long a mailed link works unless the host says otherwise. */
export const defaultMaxAgeSeconds: number = 24 * 60 * 60

/** A mail that carries a sign-in link, ready to be sent. */
export interface OutgoingMail extends SignInMail {
  readonly to: string
  /** `Name <address>`, or a plain address. */
  readonly from: string
}

/** The sign-in mail, from the provider's `from` or from `no-reply@` and the service's host name. */
export async function writeMail({
  identifier,
  url,
  provider,
  theme,
}: VerificationRequestParams): Promise<OutgoingMail> {
  const { host, hostname } = new URL(url)
  // Loaded with the first mail: it brings the renderer along.
  const { signInMail } = await import("./sign-in-mail.js")
  const mail = signInMail({ url, host, theme, validSeconds: provider.maxAge ?? defaultMaxAgeSeconds })
  return { to: identifier, from: provider.from ?? `no-reply@${hostname}`, ...mail }
}
