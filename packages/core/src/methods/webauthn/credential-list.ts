import { fromBase64url, fromHex, joinBytes, toBase64url } from "../../crypto/encoding.js"
import { macHex, sha256Hex } from "../../crypto/hash.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import type { AdapterAuthenticator } from "../../types/adapter.js"
import type { WebAuthnConfig } from "../../types/providers.js"
import { toWireText } from "./response.js"
import type { Person } from "./user.js"

/** A credential as options list it. */
export interface ListedCredential {
  /** Base64url. */
  readonly id: string
  readonly transports?: string[]
}

/** The sealed list must fit a cookie. Devices look at far fewer. */
const maxListed = 32

export async function listCredentials(
  userId: string,
  store: Pick<Store, "listAuthenticatorsByUserId">,
): Promise<readonly ListedCredential[]> {
  const found = await store.listAuthenticatorsByUserId(userId)
  return found.slice(0, maxListed).map(toListed)
}

function toListed({ credentialID, transports }: AdapterAuthenticator): ListedCredential {
  const known = transports?.split(",").filter((transport) => transport !== "") ?? []
  return { id: toWireText(credentialID), ...(known.length > 0 && { transports: known }) }
}

/** Short, as the list of them travels in a cookie: 96 bits. */
export async function digestOf(id: string): Promise<string> {
  return (await sha256Hex(id)).slice(0, 24)
}

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
  { url }: Pick<AuthRequest, "url">,
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
