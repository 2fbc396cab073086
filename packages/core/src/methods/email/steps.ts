import { type EmailTrustDeps, isHeldWithoutVerification, isSameAddress } from "../../account/email-trust.js"
import type { EmailProof } from "../../account/proof.js"
import { sha256Hex } from "../../crypto/hash.js"
import { randomHex, randomUUID } from "../../crypto/random.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import {
  AccessDenied,
  AccountNotLinked,
  CallbackRouteError,
  EmailSignInError,
  InvalidRequest,
  MissingAdapter,
  Verification,
} from "../../errors/errors.js"
import type { Permission } from "../../host/callbacks.js"
import type { Events } from "../../host/events.js"
import { cleanError } from "../../host/redact.js"
import type { Store } from "../../host/store.js"
import { type AuthRequest, toHostRequest } from "../../http/request.js"
import { type Reply, redirect, withQuery } from "../../http/response.js"
import { defaultMaxAgeSeconds } from "../../mail/deliver.js"
import { hostDeadlineMs, systemClock, withDeadline } from "../../runtime/promise.js"
import type { SignedIn } from "../../session/session.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { EmailConfig, VerificationRequestParams } from "../../types/providers.js"
import type { MethodDeps, Proven, SignInSteps } from "../method.js"
import { normalizeEmailAddress } from "./address.js"

interface EmailDeps extends MethodDeps {
  readonly store: Store
}

/** A mailed link that works once. */
export function emailSteps(methodDeps: MethodDeps): SignInSteps<EmailConfig, EmailProof> {
  const { store } = methodDeps
  if (!store) throw new MissingAdapter("adapter: an email provider deps one")
  const deps: EmailDeps = { ...methodDeps, store }
  return {
    begin: (request, provider) => requestLink(request, provider, deps),
    prove: (request, provider) => followLink(request, provider, deps),
    async resolveUser(proof, current, events) {
      return { ...(await resolveEmailUser(proof, current, { ...deps, events })), account: proof.account }
    },
  }
}

/**
 * Mails a link to the address in the form.
 * @throws EmailSignInError when the address is none or the mail cannot be sent; AccessDenied when the host refuses
 */
async function requestLink(request: AuthRequest, provider: EmailConfig, deps: EmailDeps): Promise<Reply> {
  const identifier = readAddress(request, provider)
  const { user, account } = await findAddressOwner(identifier, provider, deps)
  const elsewhere = await askPermission(deps, { user, account, email: { verificationRequest: true } })
  if (elsewhere !== null) return redirect(await deps.callbackUrls.check(elsewhere, request.url.origin))
  const { url, cookies } = await deps.callbackUrls.resolve(request)
  await sendAllowed({ identifier, callbackUrl: url }, request, provider, deps)
  const page = deps.actionUrl(request, "verify-request")
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
  { permission }: EmailDeps,
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
async function sendAllowed(link: Link, request: AuthRequest, provider: EmailConfig, deps: EmailDeps): Promise<void> {
  const allowance = await deps.limits.allowMail(link.identifier, request)
  if (!allowance) return
  try {
    await sendLink(link, request, provider, deps)
  } catch (error) {
    await allowance.giveBack()
    throw error
  }
}

/**
 * The record is written before the mail is sent, and removed when the mail could not be: no link works that nobody has.
 */
async function sendLink(link: Link, request: AuthRequest, provider: EmailConfig, deps: EmailDeps): Promise<void> {
  const { identifier, callbackUrl } = link
  const token = (await provider.generateVerificationToken?.()) ?? randomHex(32)
  const expires = new Date(systemClock() + (provider.maxAge ?? defaultMaxAgeSeconds) * 1000)
  const [hash = ""] = await hashToken(token, provider, deps)
  await deps.store.createVerificationToken({ identifier, token: hash, expires })
  const address = deps.actionUrl(request, `callback/${provider.id}`)
  const url = withQuery(address, { callbackUrl, token, email: identifier })
  const hostRequest = toHostRequest(request, { ...request.body })
  try {
    await send({ identifier, token, expires, url, provider, theme: deps.config.theme, request: hostRequest })
  } catch (error) {
    await deps.store.useVerificationToken({ identifier, token: hash })
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
async function followLink(
  request: AuthRequest,
  provider: EmailConfig,
  deps: EmailDeps,
): Promise<Proven<EmailProof> | Reply> {
  // Mail scanners and browsers fetch links ahead; that must not use them up. 503 makes a browser ask again.
  if (isPrefetch(request)) return { status: 503, headers: { "cache-control": "no-store" } }
  const token = request.url.searchParams.get("token")
  const email = request.url.searchParams.get("email") ?? undefined
  if (!token) throw new CallbackRouteError("The link has no token", { provider: provider.id })
  const isGuessable = provider.generateVerificationToken !== undefined
  // Attempts are counted by address: a code that many may have would else be tried without end.
  if (isGuessable && email === undefined) throw new Verification("The link has no address", { provider: provider.id })
  const attempt = await deps.limits.tryToken({ address: email, isGuessable }, request)
  const identifier = await spendToken({ token, email }, provider, deps)
  await attempt.succeed()
  return {
    proof: await findAddressOwner(identifier, provider, deps),
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
  deps: EmailDeps,
): Promise<string> {
  for (const hash of await hashToken(token, provider, deps)) {
    // The contract hands on an absent address as undefined; a store finds nothing by it.
    const found = await deps.store.useVerificationToken({ identifier: email as string, token: hash })
    if (!found) continue
    const isAlive = new Date(found.expires).valueOf() > systemClock()
    if (!isAlive) throw new Verification("The link has expired", { provider: provider.id })
    if (email !== undefined && found.identifier !== email) break
    return found.identifier
  }
  throw new Verification("The link was used already or never existed", { provider: provider.id })
}

/** One hash for each secret, newest first: links sent before a rotation still work. */
function hashToken(token: string, provider: EmailConfig, { config }: EmailDeps): Promise<readonly string[]> {
  const keys = provider.secret === undefined ? config.secrets : [provider.secret]
  return Promise.all(keys.map(async (secret) => await sha256Hex(`${token}${secret}`)))
}

/** Who has an address: the stored user, or one who is to be created when the link was followed. */
async function findAddressOwner(
  identifier: string,
  provider: EmailConfig,
  { store }: { readonly store: Pick<Store, "getUserByEmail"> },
): Promise<EmailProof> {
  const found = await store.getUserByEmail(identifier)
  const known = found && isSameAddress(found.email, identifier) ? found : null
  const user: AdapterUser = known ?? { id: randomUUID(), email: identifier, emailVerified: null }
  const account = { providerAccountId: identifier, userId: user.id, type: "email", provider: provider.id } as const
  return {
    candidate: user,
    user,
    account,
    isKnown: known !== null,
    knownUserId: known?.id,
    // The first link that a known user follows verifies the address, which matters if someone else is signed in.
    dependsOnSession: known !== null && !known.emailVerified,
  }
}

interface EmailLinkDeps extends EmailTrustDeps {
  readonly store: EmailTrustDeps["store"] & Pick<Store, "createUser" | "getUserByEmail" | "updateUser">
  readonly events: Events
}

/** A user, and how the sign-in arrived at it. */
type ResolvedUser = Omit<SignedIn, "account" | "profile">

/**
 * Resolves the user with the address, or creates one.
 * @throws AccountNotLinked when someone who never verified the address may hold the user's account
 */
export async function resolveEmailUser(
  proof: EmailProof,
  signedIn: AdapterUser | null,
  deps: EmailLinkDeps,
): Promise<ResolvedUser> {
  const known = proof.isKnown ? proof.user : null
  if (!known) return createOrFind(proof, deps)
  // Whoever is signed in as that user has the account and the mailbox.
  if (signedIn?.id !== known.id) await assertProven(known, proof, deps)
  return { user: await confirmAddress(known, deps), isNewUser: false, isSignedInAlready: false }
}

async function assertProven(user: AdapterUser, { account }: EmailProof, deps: EmailLinkDeps): Promise<void> {
  if (!(await isHeldWithoutVerification(user, deps))) return
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
async function createOrFind(proof: EmailProof, deps: EmailLinkDeps): Promise<ResolvedUser> {
  const { store, events } = deps
  try {
    const user = await store.createUser({ ...proof.user, emailVerified: new Date() })
    await events.send("createUser", { user })
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    const winner = await store.getUserByEmail(proof.user.email)
    if (!winner || !isSameAddress(winner.email, proof.user.email)) throw error
    await assertProven(winner, proof, deps)
    return { user: await confirmAddress(winner, deps), isNewUser: false, isSignedInAlready: false }
  }
}
