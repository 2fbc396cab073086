import { isHeldUnproven, isSameAddress, type UnprovenNeeds } from "../../account/email-trust.js"
import type { EmailProof, SignInResult } from "../../account/proof.js"
import type { CallbackUrls } from "../../checks/callback-url.js"
import { sha256Hex } from "../../crypto/hash.js"
import { randomHex, randomUUID } from "../../crypto/random.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import {
  AccessDenied,
  AccountNotLinked,
  CallbackRouteError,
  EmailSignInError,
  InvalidRequest,
  Verification,
} from "../../errors/errors.js"
import type { Permission } from "../../host/callbacks.js"
import type { Events } from "../../host/events.js"
import { cleanError } from "../../host/redact.js"
import type { Store } from "../../host/store.js"
import { type AuthRequest, toHostRequest } from "../../http/request.js"
import { type Reply, redirect, withQuery } from "../../http/response.js"
import { defaultMaxAgeSeconds } from "../../mail/deliver.js"
import type { Limits } from "../../rate-limit/limiter.js"
import { hostDeadlineMs, withDeadline } from "../../runtime/promise.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { Clock, Theme } from "../../types/basics.js"
import type { EmailConfig, VerificationRequestParams } from "../../types/providers.js"
import type { Proven, SignInMethod } from "../method.js"
import { normalizeEmailAddress } from "./address.js"

/** Signs people in by a link that is mailed to them and works once. */
export function emailMethod(needs: EmailNeeds): SignInMethod<EmailConfig> {
  return {
    callbackMethod: () => "GET",
    isCallbackOurForm: false,
    begin: (request, provider) => requestLink(request, provider, needs),
    prove: (request, provider) => followLink(request, provider, needs),
  }
}

/** What signing in by email is made of. */
interface EmailNeeds {
  readonly store: Store
  readonly permission: Permission
  readonly callbackUrls: CallbackUrls
  readonly limits: Pick<Limits, "allowMail" | "tryToken">
  readonly secrets: readonly string[]
  readonly theme: Theme
  readonly clock: Clock
  /** Address of an action below the base path. */
  readonly actionUrl: (request: AuthRequest, path: string) => string
}

/**
 * Mails a link to the address in the form.
 * @throws EmailSignInError when the address is none or the mail cannot be sent; AccessDenied when the host refuses
 */
async function requestLink(request: AuthRequest, provider: EmailConfig, needs: EmailNeeds): Promise<Reply> {
  const identifier = readAddress(request, provider)
  const { user, account } = await findAddressOwner(identifier, provider, needs)
  const elsewhere = await askPermission(needs, { user, account, email: { verificationRequest: true } })
  if (elsewhere !== null) return redirect(await needs.callbackUrls.check(elsewhere, request.url.origin))
  const { url, cookies } = await needs.callbackUrls.resolve(request)
  await sendAllowed({ identifier, callbackUrl: url }, request, provider, needs)
  const page = needs.actionUrl(request, "verify-request")
  return redirect(withQuery(page, { provider: provider.id, type: provider.type }), { cookies })
}

function readAddress(request: AuthRequest, provider: EmailConfig): string {
  const given = request.body?.["email"]
  if (given !== undefined && typeof given !== "string") throw new InvalidRequest("email must be text")
  if (!given) throw new EmailSignInError("The form has no email")
  const normalize = provider.normalizeIdentifier ?? normalizeEmailAddress
  try {
    return normalize(given)
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new EmailSignInError("normalizeIdentifier refused the address", { provider: provider.id })
  }
}

/** Asking for a link must not tell a stranger more than that it is refused. */
async function askPermission(
  { permission }: EmailNeeds,
  params: Parameters<Permission["ask"]>[0],
): Promise<string | null> {
  try {
    return await permission.ask(params)
  } catch (error) {
    throw error instanceof AccessDenied ? error : new AccessDenied(toError(error))
  }
}

interface Link {
  readonly identifier: string
  readonly callbackUrl: string
}

/** A mail too many is not sent, and the visitor cannot tell: they may be somebody who fills the mailbox of another. */
async function sendAllowed(link: Link, request: AuthRequest, provider: EmailConfig, needs: EmailNeeds): Promise<void> {
  const allowance = await needs.limits.allowMail(link.identifier, request)
  if (!allowance) return
  try {
    await sendLink(link, request, provider, needs)
  } catch (error) {
    await allowance.giveBack()
    throw error
  }
}

/**
 * The record is written before the mail is sent, and removed when the mail could not be: no link works that nobody has.
 */
async function sendLink(link: Link, request: AuthRequest, provider: EmailConfig, needs: EmailNeeds): Promise<void> {
  const { identifier, callbackUrl } = link
  const token = (await provider.generateVerificationToken?.()) ?? randomHex(32)
  const expires = new Date(needs.clock() + (provider.maxAge ?? defaultMaxAgeSeconds) * 1000)
  const [hash = ""] = await hashToken(token, provider, needs)
  await needs.store.createVerificationToken({ identifier, token: hash, expires })
  const address = needs.actionUrl(request, `callback/${provider.id}`)
  const url = withQuery(address, { callbackUrl, token, email: identifier })
  const hostRequest = toHostRequest(request, { ...request.body })
  try {
    await send({ identifier, token, expires, url, provider, theme: needs.theme, request: hostRequest })
  } catch (error) {
    await needs.store.useVerificationToken({ identifier, token: hash })
    const err = cleanError(toError(error), [identifier, token, url])
    throw new EmailSignInError("The mail could not be sent", { err, provider: provider.id, concerns: "provider" })
  }
}

async function send(params: VerificationRequestParams): Promise<void> {
  const sending = params.provider.sendVerificationRequest(params)
  const late = () => new Error(`Sending took longer than ${hostDeadlineMs} ms`)
  await withDeadline(Promise.resolve(sending), hostDeadlineMs, late)
}

/**
 * Spends the token of a mailed link, which proves whose address it is.
 * @throws Verification when the link does not work (any more)
 */
async function followLink(request: AuthRequest, provider: EmailConfig, needs: EmailNeeds): Promise<Proven | Reply> {
  // Mail scanners and browsers fetch links ahead; that must not use them up. 503 makes a browser ask again.
  if (isPrefetch(request)) return { status: 503, headers: { "cache-control": "no-store" } }
  const token = request.url.searchParams.get("token")
  const email = request.url.searchParams.get("email") ?? undefined
  if (!token) throw new CallbackRouteError("The link has no token", { provider: provider.id })
  const isGuessable = provider.generateVerificationToken !== undefined
  // Attempts are counted by address: a code that many may have would else be tried without end.
  if (isGuessable && email === undefined) throw new Verification("The link has no address", { provider: provider.id })
  const attempt = await needs.limits.tryToken({ address: email, isGuessable }, request)
  const identifier = await spendToken({ token, email }, provider, needs)
  await attempt.succeed()
  return {
    proof: { kind: "email", ...(await findAddressOwner(identifier, provider, needs)) },
    callbackUrl: undefined,
    cookies: [],
  }
}

function isPrefetch({ headers }: Pick<AuthRequest, "headers">): boolean {
  return [headers.get("sec-purpose"), headers.get("purpose")].some((purpose) => purpose?.includes("prefetch"))
}

/** @throws Verification, without saying whether the link was used, has expired or never existed */
async function spendToken(
  { token, email }: { readonly token: string; readonly email: string | undefined },
  provider: EmailConfig,
  needs: EmailNeeds,
): Promise<string> {
  for (const hash of await hashToken(token, provider, needs)) {
    // The contract hands on an absent address as undefined; a store finds nothing by it.
    const found = await needs.store.useVerificationToken({ identifier: email as string, token: hash })
    if (!found) continue
    const isAlive = new Date(found.expires).valueOf() > needs.clock()
    if (!isAlive) throw new Verification("The link has expired", { provider: provider.id })
    if (email !== undefined && found.identifier !== email) break
    return found.identifier
  }
  throw new Verification("The link was used already or never existed", { provider: provider.id })
}

/** One hash for each secret, newest first: links sent before a rotation still work. */
function hashToken(
  token: string,
  provider: EmailConfig,
  { secrets }: { readonly secrets: readonly string[] },
): Promise<readonly string[]> {
  const keys = provider.secret === undefined ? secrets : [provider.secret]
  return Promise.all(keys.map(async (secret) => await sha256Hex(`${token}${secret}`)))
}

/** Who has an address: the stored user, or one who is to be created when the link was followed. */
async function findAddressOwner(
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

interface EmailLinkDeps extends UnprovenNeeds {
  readonly store: UnprovenNeeds["store"] & Pick<Store, "createUser" | "getUserByEmail" | "updateUser">
  readonly events: Events
}

interface EmailFacts {
  readonly proof: EmailProof
  /** The user of the browser's live session. */
  readonly signedIn: AdapterUser | null
}

/**
 * The address is the account: it belongs to the user who has it, or to a new one.
 * @throws AccountNotLinked when somebody else may be that user, who never proved the address
 */
export async function resolveEmailUser({ proof, signedIn }: EmailFacts, needs: EmailLinkDeps): Promise<SignInResult> {
  const known = proof.isKnown ? proof.user : null
  if (!known) return createOrFind(proof, needs)
  // Whoever is signed in as that user has the account and the mailbox.
  if (signedIn?.id !== known.id) await assertProven(known, proof, needs)
  return { user: await confirmAddress(known, needs), isNewUser: false, isSignedInAlready: false }
}

async function assertProven(user: AdapterUser, { account }: EmailProof, needs: EmailLinkDeps): Promise<void> {
  if (!(await isHeldUnproven(user, needs))) return
  const advice = "Its owner signs in the other way first, and follows a link in the same browser then"
  const reason = "The address is that of an account whose owner never proved it"
  throw new AccountNotLinked(`${reason}. ${advice}`, { provider: account.provider })
}

/** `emailVerified` keeps the date of the first success; the update tells the store and the host about this one. */
async function confirmAddress(known: AdapterUser, { store, events }: EmailLinkDeps): Promise<AdapterUser> {
  const user = await store.updateUser({ id: known.id, emailVerified: known.emailVerified ?? new Date() })
  await events.send("updateUser", { user })
  return user
}

/** Two links for one new address may be followed at the same moment: the store lets one of them create the user. */
async function createOrFind(proof: EmailProof, needs: EmailLinkDeps): Promise<SignInResult> {
  const { store, events } = needs
  try {
    const user = await store.createUser({ ...proof.user, emailVerified: new Date() })
    await events.send("createUser", { user })
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    const winner = await store.getUserByEmail(proof.user.email)
    if (!winner || !isSameAddress(winner.email, proof.user.email)) throw error
    await assertProven(winner, proof, needs)
    return { user: await confirmAddress(winner, needs), isNewUser: false, isSignedInAlready: false }
  }
}
