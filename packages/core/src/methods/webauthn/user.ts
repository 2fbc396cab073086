import type { User } from "@latchkey/types"
import { isSameAddress } from "../../account/email-trust.js"
import { fromBase64url, fromHex, toBase64url, toHex } from "../../crypto/encoding.js"
import { sha256Hex } from "../../crypto/hash.js"
import { AuthError } from "../../errors/auth-error.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { WebAuthnConfig, WebAuthnUserInfo } from "../../types/providers.js"
import { normalizeEmailAddress } from "../email/address.js"
import { toContext, toWebAuthnRequest, type WebAuthnDeps } from "./ceremony.js"

/** Who asks for options, as far as that can be told. */
export type Person =
  | { readonly kind: "signed-in"; readonly user: AdapterUser }
  | { readonly kind: "known"; readonly user: User }
  | { readonly kind: "new"; readonly user: Omit<User, "id"> }
  | { readonly kind: "nobody" }

/** The session says who asks, else the host's `getUserInfo`, else the address in the query. */
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
  if (!info) return { kind: "nobody" }
  return info.exists ? { kind: "known", user: info.user } : { kind: "new", user: info.user }
}

async function findByAddress({ url }: AuthRequest, store: Pick<Store, "getUserByEmail">): Promise<WebAuthnUserInfo> {
  const email = parseAddress(url.searchParams.get("email"))
  if (email === null) return null
  const found = await store.getUserByEmail(email)
  return found && isSameAddress(found.email, email) ? { exists: true, user: found } : { exists: false, user: { email } }
}

/** What is no address is nobody's. */
function parseAddress(text: string | null): string | null {
  try {
    return text ? normalizeEmailAddress(text) : null
  } catch (error) {
    if (error instanceof AuthError) return null
    throw error
  }
}

/** `L` and the form: the bytes of a UUID, or a hash of an id of another kind. */
const uuidForm = "4c01"
const hashForm = "4c02"

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The user handle under which a device keeps a user's passkeys, base64url. The same for all of a user's passkeys, at
 * most 64 bytes, and of nothing that is about the person: WebAuthn level 3, sections 4 and 14.6.1.
 */
export async function toUserHandle(userId: string): Promise<string> {
  const hex = uuid.test(userId) ? uuidForm + userId.replaceAll("-", "") : hashForm + (await sha256Hex(userId))
  return toBase64url(fromHex(hex))
}

interface PresentedHandle {
  /** Base64url. */
  readonly handle: string
  readonly owner: Pick<AdapterUser, "id">
  /** Whether handles that were not made here may pass. */
  readonly isForeignAccepted: boolean
}

/**
 * Whether a handle may have been made for the owner of a passkey.
 *
 * Whoever signs up has a handle before the store has a user. A store that gives ids of its own then knows nobody by the
 * id in the handle; a handle that names somebody else is that person's. Handles of hosts that used the id itself pass.
 */
export async function isHandleOf(
  { handle, owner, isForeignAccepted }: PresentedHandle,
  store: Pick<Store, "getUser">,
): Promise<boolean> {
  const bytes = fromBase64url(handle)
  if (bytes === null) return false
  if (handle === (await toUserHandle(owner.id)) || new TextDecoder().decode(bytes) === owner.id) return true
  const hex = toHex(bytes)
  if (hex.startsWith(uuidForm) && hex.length === 36) {
    // Where ids have another form nobody has this one, and some stores cannot even look for it.
    return !uuid.test(owner.id) || !(await store.getUser(toUuid(hex.slice(4))))
  }
  return isForeignAccepted && !(hex.startsWith(hashForm) && hex.length === 68)
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
