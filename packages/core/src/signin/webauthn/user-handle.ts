import type { AdapterUser } from "../../contract/adapter.js"
import { fromBase64url, toBase64url } from "../../crypto/base64url.js"
import { sha256Hex } from "../../crypto/hash.js"
import { fromHex, toHex } from "../../crypto/hex.js"
import type { Store } from "../../host/store.js"

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

export interface PresentedHandle {
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
