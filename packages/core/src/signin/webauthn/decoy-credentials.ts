import type { WebAuthnConfig } from "../../contract/webauthn-provider.js"
import { toBase64url } from "../../crypto/base64url.js"
import { macHex } from "../../crypto/mac.js"
import type { Visit } from "../../web/visit.js"
import type { ListedCredential } from "./listed-credentials.js"

/** What widespread devices make: bytes of the id, and how they are reached. */
const kinds: readonly { readonly bytes: number; readonly transports: readonly string[] }[] = [
  { bytes: 16, transports: ["hybrid", "internal"] },
  { bytes: 20, transports: ["hybrid", "internal"] },
  { bytes: 32, transports: ["internal"] },
]

/**
 * A made-up credential for whom nobody is known by: always the same for one person, so that asking again tells nothing
 * either. WebAuthn level 3, section 14.6.2.
 */
export async function makeDecoys(identifier: string, secret: string): Promise<readonly ListedCredential[]> {
  const digest = await macHex(secret, "webauthn-decoy", identifier)
  const bytes = Uint8Array.from(digest.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const choice = await macHex(secret, "webauthn-decoy-kind", identifier)
  const kind = kinds[Number.parseInt(choice.slice(0, 8), 16) % kinds.length]
  return [{ id: toBase64url(bytes.slice(0, kind?.bytes)), transports: [...(kind?.transports ?? [])] }]
}

/** Whom a request asks about, in one writing: the fields of the form as the query has them. Null when it names nobody. */
export function readIdentifier({ url }: Visit, { formFields }: WebAuthnConfig): string | null {
  const names = formFields ? Object.keys(formFields) : ["email"]
  const typed = names.map((name) => url.searchParams.get(name)?.trim().toLowerCase() ?? "")
  return typed.some((text) => text !== "") ? JSON.stringify(typed) : null
}
