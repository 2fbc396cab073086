import { isSameAddress } from "../../account/same-address.js"
import type { AdapterUser } from "../../contract/adapter.js"
import type { User } from "../../contract/user.js"
import type { WebAuthnConfig, WebAuthnUserInfo } from "../../contract/webauthn-provider.js"
import { AuthError } from "../../errors/auth-error.js"
import type { Store } from "../../host/store.js"
import type { Visit } from "../../web/visit.js"
import { normalizeEmailAddress } from "../email-address.js"
import { toContext, type WebAuthnNeeds } from "./webauthn-needs.js"
import { toWebAuthnRequest } from "./webauthn-request.js"

/** Who asks for options, as far as that can be told. */
export type Person =
  | { readonly kind: "signed-in"; readonly user: AdapterUser }
  | { readonly kind: "known"; readonly user: User }
  | { readonly kind: "new"; readonly user: Omit<User, "id"> }
  | { readonly kind: "nobody" }

/** The session says who asks, else the host's `getUserInfo`, else the address in the query. */
export async function findPerson(
  visit: Visit,
  provider: WebAuthnConfig,
  needs: Pick<WebAuthnNeeds, "store" | "sessions">,
): Promise<Person> {
  const signedIn = await needs.sessions.findUser(visit.cookies)
  if (signedIn) return { kind: "signed-in", user: signedIn }
  const info = provider.getUserInfo
    ? await provider.getUserInfo(toContext(visit, provider, needs), toWebAuthnRequest(visit))
    : await findByAddress(visit, needs.store)
  if (!info) return { kind: "nobody" }
  return info.exists ? { kind: "known", user: info.user } : { kind: "new", user: info.user }
}

async function findByAddress({ url }: Visit, store: Pick<Store, "getUserByEmail">): Promise<WebAuthnUserInfo> {
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
