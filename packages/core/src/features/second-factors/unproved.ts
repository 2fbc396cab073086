import type { AuthMethod } from "../../account/proof.js"
import { isLinkable, isMailProvider, isOwnPassword, isPasskeyProvider } from "../../methods/reauthentication.js"
import type { ResolvedProvider } from "../../types/resolved.js"
import type { ActionContext } from "../feature.js"
import type { Tools } from "./tools.js"

/** What the user of a sign-in has proved so far. */
export interface PartialProof {
  readonly userId: string
  readonly achieved: readonly AuthMethod[]
  /** The id of the provider that the user signed in with. Undefined if it is not known. */
  readonly provider: string | undefined
}

export function hasKey(methods: readonly AuthMethod[]): boolean {
  return methods.includes("hwk") || methods.includes("swk")
}

/**
 * The providers with which the user could prove another factor: a passkey, an account whose own second factor counts, and
 * for a key that did not verify its owner, any other way to sign in. They come before a new factor is set up. Otherwise, a
 * thief of one factor could set up their own. Lists only what the store knows for certain, since users cannot sign in
 * without it.
 */
export async function listUnproved(
  { userId, achieved, provider: via }: PartialProof,
  { providers }: Pick<ActionContext, "providers">,
  { store, settings: { trust } }: Pick<Tools, "store" | "settings">,
): Promise<readonly ResolvedProvider[]> {
  const isKeyProved = hasKey(achieved)
  const isTrusted = (id: string | undefined) => id !== undefined && Object.hasOwn(trust, id)
  const canLink = (provider: ResolvedProvider) =>
    isLinkable(provider) && (isKeyProved || (isTrusted(provider.id) && !isTrusted(via)))
  const all = [...providers.values()]
  const lists = all.some(canLink) && store.has("listAccountsByUserId")
  const accounts = lists ? await store.listAccountsByUserId(userId) : []

  async function isUnproved(provider: ResolvedProvider): Promise<boolean> {
    if (isPasskeyProvider(provider)) return !isKeyProved && hasUsablePasskey(userId, provider.id, store)
    if (isLinkable(provider)) return canLink(provider) && accounts.some((account) => account.provider === provider.id)
    if (!isKeyProved) return false
    if (isMailProvider(provider)) {
      const user = await store.getUser(userId)
      return Boolean(user?.email && user.emailVerified)
    }
    return isOwnPassword(provider) && store.has("getPassword") && (await store.getPassword(userId)) !== null
  }

  const found = await Promise.all(all.map(isUnproved))
  return all.filter((_, n) => found[n])
}

/** A passkey whose account is missing cannot sign in: storing it may have failed halfway. */
async function hasUsablePasskey(userId: string, provider: string, store: Tools["store"]): Promise<boolean> {
  for (const { providerAccountId } of await store.listAuthenticatorsByUserId(userId)) {
    if (await store.getAccount(providerAccountId, provider)) return true
  }
  return false
}
