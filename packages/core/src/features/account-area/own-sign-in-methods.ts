import { isAddressProved } from "../../account/email-trust.js"
import { decideUnlink, type OwnSignInMethod, type SignInMethodKey } from "../../account/unlinking.js"
import { findDefect } from "../../config/providers.js"
import { isLinkable, isMailProvider, isOwnPassword, isPasskeyProvider } from "../../methods/reauthentication.js"
import { isSameId, toIdText } from "../../runtime/id.js"
import { ownSessions } from "../../session/own-sessions.js"
import type { AdapterAccount } from "../../types/adapter.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ResolvedProvider } from "../../types/resolved.js"
import { notifyUser } from "../notices.js"
import { ChangeRefused, type Visit } from "./section.js"

/** A sign-in method of a user, as a page shows it. */
export interface SignInMethodView extends OwnSignInMethod {
  /** The name of the provider. */
  readonly name: string
}

/** Lists the user's known sign-in methods. */
export async function listOwnSignInMethods(visit: Visit): Promise<readonly SignInMethodView[]> {
  const { context, store, userId } = visit
  const providers = [...context.providers.values()]
  const [passkeys, accounts, password, isProved] = await Promise.all([
    providers.some(isPasskeyProvider) ? store.listAuthenticatorsByUserId(userId) : [],
    store.has("listAccountsByUserId") ? store.listAccountsByUserId(userId) : null,
    providers.some(isOwnPassword) && store.has("getPassword") ? store.getPassword(userId) : null,
    isAddressProved(visit.user, store),
  ])
  const keys = new Set(passkeys.map(({ providerAccountId }) => providerAccountId))
  const own = accounts
    ?.filter((account) => isSameId(account.userId, userId))
    .map((account) => toView(account, keys, visit))
  // A store that cannot list accounts has one for each passkey that was registered here.
  const keyMethods = own
    ? []
    : [...keys].map((key) =>
        toView({ type: "webauthn", provider: getKeyProvider(providers), providerAccountId: key }, keys, visit),
      )
  const withoutAccount = (
    provider: ResolvedProvider,
    kind: "password" | "email",
    works: boolean,
  ): SignInMethodView => ({
    kind,
    provider: provider.id,
    providerAccountId: null,
    name: provider.name,
    works: works && findDefect(provider) === null,
  })
  return [
    ...(own ?? keyMethods),
    ...providers
      .filter((each) => password !== null && isOwnPassword(each))
      .map((each) => withoutAccount(each, "password", true)),
    ...providers.filter(isMailProvider).map((each) => withoutAccount(each, "email", isProved)),
  ]
}

function getKeyProvider(providers: readonly ResolvedProvider[]): string {
  return providers.find(isPasskeyProvider)?.id ?? ""
}

function toView(
  { type, provider: id, providerAccountId: accountId }: Pick<AdapterAccount, "type" | "provider" | "providerAccountId">,
  keys: ReadonlySet<string>,
  { context }: Visit,
): SignInMethodView {
  const providerAccountId = toIdText(accountId)
  const provider = context.providers.get(id)
  const isKey = isPasskeyProvider({ type })
  const isUsable = provider !== undefined && findDefect(provider) === null
  return {
    kind: isKey ? "passkey" : "account",
    provider: id,
    providerAccountId,
    name: provider?.name ?? id,
    // A passkey is a credential and an account: neither signs in without the other.
    works: isUsable && (!isKey || keys.has(providerAccountId)),
  }
}

/** The providers at which the user can add an account. */
export function listLinkable({ context }: Visit): readonly ResolvedProvider[] {
  return [...context.providers.values()].filter((provider) => isLinkable(provider) && findDefect(provider) === null)
}

/**
 * Removes an account or the account of a passkey, with what was kept of it and the sessions that began with it.
 * @returns the cookies to set; null if the user has no such method
 * @throws ChangeRefused for the last method that works
 */
export async function removeSignInMethod(
  wanted: SignInMethodKey,
  kind: OwnSignInMethod["kind"],
  visit: Visit,
): Promise<readonly ResponseCookie[] | null> {
  const decision = decideUnlink({ methods: (await listOwnSignInMethods(visit)).filter(isOneOf(kind, wanted)), wanted })
  if (decision.kind === "refuse") {
    if (decision.reason === "unknown") return null
    throw lastMethod()
  }
  const account = { ...toKey(decision.method), userId: visit.userId }
  const finish = await prepareFeatures(account, visit)
  await unlink(account, decision.method.works, visit)
  // First: the sessions must not go on if the tokens cannot be forgotten.
  await endSessionsOf(account, visit)
  const cookies: ResponseCookie[] = []
  for (const each of finish) cookies.push(...(await each()))
  const { userId, ...key } = account
  const { context, request } = visit
  context.log.record({ kind: "account-unlinked", userId, providerId: key.provider }, request)
  await context.events.send("accountUnlinked", { userId, account: key }, request)
  const change = decision.method.kind === "passkey" ? "passkey-removed" : "account-removed"
  await notifyUser({ kind: change, userId, provider: key.provider }, request, context)
  return cookies
}

/** All methods, but of those with the wanted name only the kind that the form is for. */
function isOneOf(kind: OwnSignInMethod["kind"], wanted: SignInMethodKey): (method: OwnSignInMethod) => boolean {
  return (method) =>
    method.kind === kind || method.provider !== wanted.provider || method.providerAccountId !== wanted.providerAccountId
}

const lastMethod = (): ChangeRefused =>
  new ChangeRefused("This is the only way to sign in that works for the user. Add another one first", {
    code: "last-sign-in-method",
  })

type Key = Pick<AdapterAccount, "provider" | "providerAccountId">

function toKey({ provider, providerAccountId }: OwnSignInMethod): Key {
  return { provider, providerAccountId: providerAccountId ?? "" }
}

function prepareFeatures(account: Key & { readonly userId: string }, { request, context }: Visit) {
  return Promise.all(context.features.flatMap((feature) => feature.onUnlink?.(account, request, context) ?? []))
}

/** Two requests may each remove the method that the other one counted on. The account is then put back. */
async function unlink({ provider, providerAccountId }: Key, wasUsable: boolean, visit: Visit): Promise<void> {
  const { store, userId } = visit
  const rows = store.has("listAccountsByUserId") ? await store.listAccountsByUserId(userId) : []
  const row =
    rows.find((each) => each.provider === provider && each.providerAccountId === providerAccountId) ??
    (await store.getAccount(providerAccountId, provider))
  await store.unlinkAccount({ provider, providerAccountId })
  if (!wasUsable || (await listOwnSignInMethods(visit)).some(({ works }) => works)) return
  if (row) await store.linkAccount(row)
  throw lastMethod()
}

/**
 * The session of the request goes on: its user has just proved who they are. The others end even if that proof is too old by
 * now, or that session has ended, because the account is gone.
 */
async function endSessionsOf({ provider, providerAccountId }: Key, visit: Visit): Promise<void> {
  const { context, request, store, sessions, userId } = visit
  if (!sessions) return
  const own = ownSessions(context)
  const [current] = sessions
  // A pending sign-in, a session from before tracking and one of another library do not record how they began.
  for (const feature of context.features) await feature.onProviderLogout?.(userId, store)
  await context.sessions.endFormer?.(async () => userId)
  for (const detail of await store.listSessionsByUserId(userId)) {
    const isBegunByIt = detail.provider === provider && detail.providerAccountId === providerAccountId
    if (isBegunByIt && detail.id !== current?.id) await own.endOne(userId, detail.id, request)
  }
}
