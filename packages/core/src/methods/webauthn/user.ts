import type { User } from "@latchkey/types"
import { findAddressOwners } from "../../account/email-trust.js"
import { fromBase64url, fromHex, toBase64url, toHex } from "../../crypto/encoding.js"
import { sha256Hex } from "../../crypto/hash.js"
import { AuthError } from "../../errors/auth-error.js"
import { normalizeEmailAddress } from "../../host/email-address.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { WebAuthnConfig, WebAuthnUserInfo } from "../../types/providers.js"
import { toContext, toWebAuthnRequest, type WebAuthnDeps } from "./ceremony.js"

/** The person who asks for options. */
export type Person =
  | { readonly kind: "signed-in"; readonly user: AdapterUser }
  | { readonly kind: "known"; readonly user: User }
  | { readonly kind: "new"; readonly user: Omit<User, "id"> }
  | { readonly kind: "unknown" }

/** Finds the person by the session, else by the host's `getUserInfo`, else by the address in the query. */
export async function findPerson(
  request: AuthRequest,
  provider: WebAuthnConfig,
  deps: Pick<WebAuthnDeps, "store" | "sessions">,
): Promise<Person> {
  const signedIn = await deps.sessions.findUser(request.cookies)
  if (signedIn) return { kind: "signed-in", user: signedIn }
  const info = provider.getUserInfo
    ? await provider.getUserInfo(toContext(request, provider, deps), toWebAuthnRequest(request))
    : await findByAddress(request, deps.store)
  if (!info) return { kind: "unknown" }
  return info.exists ? { kind: "known", user: info.user } : { kind: "new", user: info.user }
}

async function findByAddress({ url }: AuthRequest, store: Pick<Store, "getUserByEmail">): Promise<WebAuthnUserInfo> {
  const typed = url.searchParams.get("email") ?? ""
  const email = parseAddress(typed)
  if (email === null) return null
  const [user, other] = await findAddressOwners([typed, email], store)
  if (!user) return { exists: false, user: { email } }
  return other ? null : { exists: true, user }
}

/** Null for an invalid address. */
function parseAddress(text: string | null): string | null {
  try {
    return text ? normalizeEmailAddress(text) : null
  } catch (error) {
    if (error instanceof AuthError) return null
    throw error
  }
}

/** Prefixes of a handle: `L`, then 1 for the bytes of a UUID, or 2 for the hash of another id. */
const uuidForm = "4c01"
const hashForm = "4c02"

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The user handle of all passkeys of a user, base64url. At most 64 bytes, without personal data: WebAuthn level 3,
 * sections 4 and 14.6.1.
 */
export async function toUserHandle(userId: string): Promise<string> {
  const hex = uuid.test(userId) ? uuidForm + userId.replaceAll("-", "") : hashForm + (await sha256Hex(userId))
  return toBase64url(fromHex(hex))
}

interface PresentedHandle {
  /** Base64url. */
  readonly handle: string
  readonly owner: Pick<AdapterUser, "id">
  /** Whether to accept handles that this service did not create. */
  readonly isForeignAccepted: boolean
}

/**
 * Whether a handle may belong to the owner of a passkey.
 *
 * A handle is created before the user is stored. A store that assigns its own ids has no user with the id in the handle;
 * a handle with the id of another user is rejected. Handles that are the plain id, as other libraries use, are accepted,
 * and so are the random ones of Auth.js: they name no user, and the credential's id does.
 */
export async function isHandleOf(
  { handle, owner, isForeignAccepted }: PresentedHandle,
  store: Pick<Store, "getUser">,
): Promise<boolean> {
  const bytes = fromBase64url(handle)
  if (bytes === null) return false
  // Some adapters return the database's own type.
  const ownerId = String(owner.id)
  if (handle === (await toUserHandle(ownerId)) || new TextDecoder().decode(bytes) === ownerId) return true
  const hex = toHex(bytes)
  if (hex.startsWith(uuidForm) && hex.length === 36) {
    // If the store's ids are not UUIDs, no user has this one, and some stores cannot even look it up.
    return !uuid.test(ownerId) || !(await store.getUser(toUuid(hex.slice(4))))
  }
  if (hex.startsWith(hashForm) && hex.length === 68) return false
  return isForeignAccepted || (isRandomHandle(handle) && !randomForm.test(ownerId))
}

/** 32 random bytes in hexadecimal. */
const randomForm = /^[0-9a-f]{64}$/

/**
 * Whether Auth.js registered the passkey. Its handles are random and stored nowhere. Browser libraries before version 10
 * encoded them as text, later ones as base64url.
 */
function isRandomHandle(handle: string): boolean {
  return randomForm.test(handle) || randomForm.test(new TextDecoder().decode(fromBase64url(handle) ?? undefined))
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
