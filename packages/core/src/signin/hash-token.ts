import type { EmailConfig } from "../contract/email-provider.js"
import { sha256Hex } from "../crypto/hash.js"

/** One hash for each secret, newest first: links sent before a rotation still work. */
export function hashToken(
  token: string,
  provider: EmailConfig,
  { secrets }: { readonly secrets: readonly string[] },
): Promise<readonly string[]> {
  const keys = provider.secret === undefined ? secrets : [provider.secret]
  return Promise.all(keys.map(async (secret) => await sha256Hex(`${token}${secret}`)))
}
