import type { EmailProof } from "../account/proof.js"
import { isSameAddress } from "../account/same-address.js"
import type { AdapterUser } from "../contract/adapter.js"
import type { EmailConfig } from "../contract/email-provider.js"
import { randomUUID } from "../crypto/random.js"
import type { Store } from "../host/store.js"

/** Who has an address: the stored user, or one who is to be created when the link was followed. */
export async function findAddressOwner(
  identifier: string,
  provider: EmailConfig,
  { store }: { readonly store: Pick<Store, "getUserByEmail"> },
): Promise<Omit<EmailProof, "kind">> {
  const found = await store.getUserByEmail(identifier)
  const known = found && isSameAddress(found.email, identifier) ? found : null
  const user: AdapterUser = known ?? { id: randomUUID(), email: identifier, emailVerified: null }
  const account = { providerAccountId: identifier, userId: user.id, type: "email", provider: provider.id } as const
  return { user, isKnown: known !== null, account }
}
