import type { Store } from "../host/store.js"
import { isSameId } from "../runtime/id.js"
import type { AdapterUser } from "../types/adapter.js"
import { isSameAddress } from "./email-trust.js"

/**
 * The users who have an address in one of its forms: first as it was given, since a row may be older than the normal form,
 * then in the normal form. All forms are looked up even after one is found, so that the number of calls reveals nothing.
 */
export async function findAddressOwners(
  forms: readonly (string | undefined)[],
  store: Pick<Store, "getUserByEmail">,
): Promise<readonly AdapterUser[]> {
  const owners: AdapterUser[] = []
  for (const form of new Set(forms)) {
    if (form === undefined) continue
    const found = await store.getUserByEmail(form)
    const isNew = found && isSameAddress(found.email, form) && !owners.some(({ id }) => isSameId(id, found.id))
    if (isNew) owners.push(found)
  }
  return owners
}

/** The only user who has an address. Null if there is none, or if two users have it, each in another form. */
export async function findAddressOwner(
  forms: readonly (string | undefined)[],
  store: Pick<Store, "getUserByEmail">,
): Promise<AdapterUser | null> {
  const [owner = null, other] = await findAddressOwners(forms, store)
  return other ? null : owner
}
