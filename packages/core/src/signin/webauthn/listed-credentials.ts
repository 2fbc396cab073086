import type { AdapterAuthenticator } from "../../contract/adapter.js"
import { sha256Hex } from "../../crypto/hash.js"
import type { Store } from "../../host/store.js"
import { toWireText } from "./base64.js"

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
