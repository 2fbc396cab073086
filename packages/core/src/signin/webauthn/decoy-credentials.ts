import type { WebAuthnConfig } from "../../contract/webauthn-provider.js"
import { fromBase64url, toBase64url } from "../../crypto/base64url.js"
import { fromHex } from "../../crypto/hex.js"
import { joinBytes } from "../../crypto/join-bytes.js"
import { macHex } from "../../crypto/mac.js"
import type { Visit } from "../../web/visit.js"
import type { ListedCredential } from "./listed-credentials.js"
import type { Person } from "./person.js"

/** What widespread devices make: bytes of the id, and how they are reached. */
const kinds: readonly { readonly bytes: number; readonly transports: readonly string[] }[] = [
  { bytes: 16, transports: ["hybrid", "internal"] },
  { bytes: 20, transports: ["hybrid", "internal"] },
  { bytes: 32, transports: ["internal"] },
]

/** Bytes at the end of an id by which it is known as made up: two of them are alike by chance once in 2^64. */
const sealBytes = 8

/**
 * A made-up credential for somebody whom nobody knows: always the same for one person, so that asking again tells
 * nothing either. WebAuthn level 3, section 14.6.2.
 */
export async function makeDecoys(identifier: string, secret: string): Promise<readonly ListedCredential[]> {
  const choice = await macBytes(secret, "webauthn-decoy-kind", identifier)
  const kind = kinds[(choice[0] ?? 0) % kinds.length]
  const body = (await macBytes(secret, "webauthn-decoy", identifier)).slice(0, (kind?.bytes ?? 0) - sealBytes)
  const id = toBase64url(joinBytes([body, await seal(body, secret)]))
  return [{ id, transports: [...(kind?.transports ?? [])] }]
}

/**
 * Whether an id was made up here. Whoever was shown one could else find out that nobody has it, by making a passkey of
 * the same id: devices choose their ids, and only those that somebody has are refused.
 */
export async function isDecoy(id: string, secrets: readonly string[]): Promise<boolean> {
  const bytes = fromBase64url(id)
  if (bytes === null || !kinds.some((kind) => kind.bytes === bytes.length)) return false
  const seals = await Promise.all(secrets.map((secret) => seal(bytes.slice(0, -sealBytes), secret)))
  return seals.some((one) => toBase64url(one) === toBase64url(bytes.slice(-sealBytes)))
}

async function seal(body: Uint8Array<ArrayBuffer>, secret: string): Promise<Uint8Array<ArrayBuffer>> {
  return (await macBytes(secret, "webauthn-decoy-seal", toBase64url(body))).slice(0, sealBytes)
}

async function macBytes(secret: string, purpose: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  return fromHex(await macHex(secret, purpose, text))
}

/**
 * Whom a request asks about, in one writing for all that mean the same person, since those who are known have one list:
 * their address, else the fields of the form as the query has them. Null when it names nobody.
 */
export function readIdentifier(
  { url }: Pick<Visit, "url">,
  person: Person,
  { formFields, getUserInfo }: Pick<WebAuthnConfig, "formFields" | "getUserInfo">,
): string | null {
  if (person.kind !== "nobody" && person.user.email) return person.user.email.toLowerCase()
  const names = formFields ? Object.keys(formFields) : ["email"]
  const typed = names.map((name) => url.searchParams.get(name) ?? "")
  if (typed.every((text) => text.trim() === "")) return null
  // What is no address is nobody's in any writing. A host that looks people up itself mostly overlooks blanks and case.
  return JSON.stringify(getUserInfo ? typed.map((text) => text.trim().toLowerCase()) : typed)
}
