import { randomUUID } from "../crypto/random.js"
import { OAuthAccountNotLinked } from "../errors/errors.js"
import type { Permission } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import { isSameId } from "../runtime/id.js"
import { copyFields } from "../runtime/instance.js"
import type { AdapterAccount, AdapterUser } from "../types/adapter.js"
import type { Account } from "../types/user.js"
import {
  type EmailTrustDeps,
  findAddressOwners,
  hasProvedAddress,
  isAddressUnverified,
  isEmailDenied,
  storeVerifiedEmail,
} from "./email-trust.js"
import { storeNewUser } from "./new-user.js"
import type { OAuthProof, SignInRedirect } from "./proof.js"

interface LinkDeps extends EmailTrustDeps {
  readonly store: Store
  readonly events: Events
  readonly permission: Permission
  /** Undefined without the option `accessTokens`. */
  readonly tokens?: TokenWriter | undefined
}

/** Writes the tokens in the rows of linked accounts. */
export interface TokenWriter {
  /** The row of a new account, with its tokens as they are stored. */
  seal(account: AdapterAccount): Promise<AdapterAccount>
  /** Writes the tokens of another sign-in with a linked account. What the provider left out stays as it is. */
  renew(account: AdapterAccount): Promise<void>
}

/** The stored user of an account. */
interface LinkedUser {
  readonly user: AdapterUser
  readonly isNewUser: boolean
  /** True when this user was already signed in. */
  readonly isSignedInAlready: boolean
  /** True when the account was added to the user who was signed in. */
  readonly isAccountAdded?: boolean
  /** True when the tokens of the account have to be stored once the sign-in is admitted. */
  readonly hasNewTokens?: boolean
}

/**
 * Resolves the user of an account at an identity provider, and links or creates what is missing.
 * @throws OAuthAccountNotLinked when the account or its email address belongs to another user
 * @throws AccessDenied when the `signIn` callback refuses the user who was decided
 */
export async function resolveOAuthUser(
  proof: OAuthProof,
  current: AdapterUser | null,
  deps: LinkDeps,
): Promise<LinkedUser | SignInRedirect> {
  return resolveByFacts(proof, current, deps, () => createLinkedUser(proof, deps))
}

async function resolveByFacts(
  proof: OAuthProof,
  current: AdapterUser | null,
  deps: LinkDeps,
  create: () => Promise<LinkedUser | SignInRedirect>,
): Promise<LinkedUser | SignInRedirect> {
  const { accountOwner } = proof
  const isUnclaimed = accountOwner === null && current === null
  const emailOwner = isUnclaimed ? await findEmailOwner(proof, deps.store) : null
  const mayLinkByEmail = proof.isEmailTrusted && !isEmailDenied(proof)
  const decision = decideLinking({
    currentUser: toId(current),
    initiator: proof.initiatorId,
    accountOwner: toId(accountOwner),
    emailOwner: toId(emailOwner),
    isEmailTrusted: proof.isEmailTrusted,
    isEmailDenied: isEmailDenied(proof),
    isEmailOwnerUnverified: emailOwner !== null && mayLinkByEmail && (await isAddressUnverified(emailOwner, deps)),
  })
  if (decision.kind === "refuse") throw new OAuthAccountNotLinked(decision.reason, { provider: proof.account.provider })
  if (decision.kind === "create") return create()
  const user = [current, accountOwner, emailOwner].find((candidate) => toId(candidate) === decision.userId)
  if (!user) throw new OAuthAccountNotLinked("The account's user does not exist", { provider: proof.account.provider })
  const redirectUrl = await askAbout(user, proof, deps)
  if (redirectUrl !== null) return { redirectUrl }
  if (decision.kind === "link") await linkToUser(user, proof, current === null, deps)
  await storeVerifiedEmail(user, proof, deps.store)
  const isAccountAdded = decision.kind === "link" && current !== null
  const hasNewTokens = decision.kind === "continue" && deps.tokens !== undefined
  return {
    user,
    isNewUser: false,
    isSignedInAlready: current !== null,
    ...(isAccountAdded && { isAccountAdded }),
    ...(hasNewTokens && { hasNewTokens }),
  }
}

/**
 * Asks the `signIn` callback about a stored user whom it has not seen: it was asked with the provider's profile, before
 * anything was looked up by address or session. A user that the host has banned must not return through a new account.
 */
async function askAbout(user: AdapterUser, proof: OAuthProof, { permission }: LinkDeps): Promise<string | null> {
  const { candidate, account, profile } = proof
  return isSameId(candidate.id, user.id) ? null : permission.ask({ user, account, profile })
}

/** As text, because some adapters return the database's own type. */
function toId(user: AdapterUser | null): string | null {
  return user && String(user.id)
}

/** @throws OAuthAccountNotLinked when two users have the address, each in another form */
async function findEmailOwner({ user, givenEmail, account }: OAuthProof, store: Store): Promise<AdapterUser | null> {
  if (!user.email) return null
  const [owner = null, other] = await findAddressOwners([givenEmail, user.email], store)
  if (!other) return owner
  throw new OAuthAccountNotLinked("Two users have the address, in different spellings", { provider: account.provider })
}

/** The facts that decide about linking. Users are named by their ids. */
export interface LinkingFacts {
  /** The user of the current session. */
  readonly currentUser: string | null
  /** The user of the session in which the sign-in began; null without one, undefined when that is unknown. */
  readonly initiator: string | null | undefined
  /** The user that the account is linked to. */
  readonly accountOwner: string | null
  /** The user with the same email address. */
  readonly emailOwner: string | null
  /** Whether that user never verified the address. */
  readonly isEmailOwnerUnverified: boolean
  /** Whether `allowDangerousEmailAccountLinking` is set for the provider. */
  readonly isEmailTrusted: boolean
  /** Whether the provider sent `email_verified: false`. */
  readonly isEmailDenied: boolean
}

type LinkingDecision =
  | { readonly kind: "continue"; readonly userId: string }
  | { readonly kind: "link"; readonly userId: string }
  | { readonly kind: "create" }
  | { readonly kind: "refuse"; readonly reason: string }

const refuse = (reason: string): LinkingDecision => ({ kind: "refuse", reason })

/**
 * Decides which user an account belongs to. Pure: each line is one row of the linking table.
 * @internal Exported for its tests.
 */
export function decideLinking(facts: LinkingFacts): LinkingDecision {
  const { currentUser, accountOwner, emailOwner } = facts
  if (currentUser !== null) {
    // Otherwise someone else's sign-in, delivered to this user's browser, would give them a way into the account.
    if (accountOwner === null && facts.initiator !== currentUser) return refuse(explainForeignStart(facts))
    if (accountOwner === null) return { kind: "link", userId: currentUser }
    if (accountOwner === currentUser) return { kind: "continue", userId: currentUser }
    return refuse("The account is linked to another user than the one who is signed in")
  }
  if (accountOwner !== null) return { kind: "continue", userId: accountOwner }
  if (emailOwner === null) return { kind: "create" }
  if (!facts.isEmailTrusted) {
    return refuse("Another user has the same email address, and allowDangerousEmailAccountLinking is not set")
  }
  if (facts.isEmailDenied) return refuse("Another user has the same email address, which the provider did not verify")
  if (facts.isEmailOwnerUnverified) {
    return refuse("Another user has the same email address, but never verified it")
  }
  return { kind: "link", userId: emailOwner }
}

function explainForeignStart({ initiator }: LinkingFacts): string {
  const rule = "An account is linked only to the user who was signed in when the sign-in began"
  if (initiator === null) return `${rule}, and no one was`
  if (initiator !== undefined) return `${rule}, and now another user is`
  return `${rule}, which a sign-in with \`checks: ["none"]\`, or one that began before an upgrade, does not tell`
}

async function createLinkedUser(proof: OAuthProof, deps: LinkDeps): Promise<LinkedUser | SignInRedirect> {
  const created: { user?: AdapterUser } = {}
  try {
    const user = await createUser(proof, deps, (stored) => {
      created.user = stored
    })
    await storeVerifiedEmail(user, proof, deps.store)
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    if (error instanceof OAuthAccountNotLinked) throw error
    // A concurrent request may have signed in with the same account, or with another one with the same address.
    const accountOwner = await findAccountOwner(proof, deps)
    // The address may be that of the new user, who could not be removed.
    if (accountOwner === null && created.user) throw error
    return resolveByFacts({ ...proof, accountOwner }, null, deps, () => {
      throw error
    })
  }
}

/** @param onStored Called when the user is stored, in a transaction or not. */
async function createUser(
  proof: OAuthProof,
  deps: LinkDeps,
  onStored: (user: AdapterUser) => void,
): Promise<AdapterUser> {
  const { store, events } = deps
  const { id = randomUUID(), email } = proof.user
  const { provider, providerAccountId } = proof.account
  // Some providers have no addresses. The adapter's type requires one; the store decides whether it accepts such users.
  const fields = copyFields(proof.user, ["name", "image"])
  const account = toAccount(proof)
  const user = await storeNewUser(
    { ...fields, id, email: email as string, emailVerified: null },
    {
      async add(user, within) {
        onStored(user)
        await within.linkAccount(await toRow(account, user, proof, deps))
      },
      isAdded: async (user) => isSameId((await findAccountOwner(proof, deps))?.id, user.id),
      async takeBack() {
        if (store.has("unlinkAccount")) await store.unlinkAccount({ provider, providerAccountId })
        throw new OAuthAccountNotLinked("The owner of the address signed up during the sign-in", { provider })
      },
    },
    deps,
  )
  await events.send("linkAccount", { user, account, profile: proof.user })
  return user
}

/** @throws OAuthAccountNotLinked when a concurrent request linked the account to another user, or replaced the address */
async function linkToUser(user: AdapterUser, proof: OAuthProof, isByEmail: boolean, deps: LinkDeps): Promise<void> {
  try {
    await linkAccount(user, proof, deps, async () => {
      if (isByEmail) await assertStillEmailOwner(user, proof, deps)
    })
  } catch (error) {
    if (error instanceof OAuthAccountNotLinked) throw error
    const owner = await findAccountOwner(proof, deps)
    if (owner === null) throw error
    if (isSameId(owner.id, user.id)) return
    const { provider } = proof.account
    throw new OAuthAccountNotLinked("The account was just linked to another user", { provider })
  }
}

/**
 * Takes back an account that was linked by an address which its user no longer has: the address may be that of a thief, whose
 * change was undone during the sign-in.
 */
async function assertStillEmailOwner(owner: AdapterUser, proof: OAuthProof, { store }: LinkDeps): Promise<void> {
  const { provider, providerAccountId } = proof.account
  const stored = await store.getUser(owner.id)
  if (stored && hasProvedAddress(stored, proof)) return
  if (store.has("unlinkAccount")) await store.unlinkAccount({ provider, providerAccountId })
  throw new OAuthAccountNotLinked("The address of the user was replaced during the sign-in", { provider })
}

/** Stores the account, which `vet` may take back. The event gets the stored tokens only. */
async function linkAccount(
  user: AdapterUser,
  proof: OAuthProof,
  deps: LinkDeps,
  vet: () => Promise<void>,
): Promise<void> {
  const { store, events } = deps
  const account = toAccount(proof)
  await store.linkAccount(await toRow(account, user, proof, deps))
  await vet()
  await events.send("linkAccount", { user, account, profile: proof.user })
}

/** The account with the tokens to store, without its user. */
function toAccount(proof: OAuthProof): Account {
  const { provider, providerAccountId, type } = proof.account
  // as: never without type
  const { userId: _, ...account } = { ...proof.selectTokens(), provider, providerAccountId, type } as AdapterAccount
  return account
}

/** The account as it is stored. */
async function toRow(
  account: Account,
  { id: userId }: AdapterUser,
  { toKept }: OAuthProof,
  { tokens }: Pick<LinkDeps, "tokens">,
): Promise<AdapterAccount> {
  const row: AdapterAccount = { ...account, userId }
  // as: the other fields of the row stay.
  return tokens ? tokens.seal(toKept(row) as AdapterAccount) : row
}

async function findAccountOwner({ account }: OAuthProof, { store }: LinkDeps): Promise<AdapterUser | null> {
  const { provider, providerAccountId } = account
  return store.getUserByAccount({ provider, providerAccountId })
}
