import { type EmailTrustDeps, isHeldWithoutVerification, isSameAddress } from "../../account/email-trust.js"
import type { EmailProof } from "../../account/proof.js"
import { macHex, sha256Hex } from "../../crypto/hash.js"
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
import type { Events } from "../../host/events.js"
import { cleanError } from "../../host/redact.js"
import type { Store } from "../../host/store.js"
import { type AuthRequest, toHostRequest } from "../../http/request.js"
import { type Reply, redirect, withQuery } from "../../http/response.js"
import { defaultMaxAgeSeconds } from "../../mail/deliver.js"
import { isSameId } from "../../runtime/id.js"
import { hostDeadlineMs, systemClock, withDeadline } from "../../runtime/promise.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { EmailConfig } from "../../types/providers.js"
import type { MethodDeps, Proven, ResolvedUser, SignInSteps } from "../method.js"
import { normalizeEmailAddress } from "./address.js"

interface EmailDeps extends MethodDeps {
  readonly store: Store
}

/** A link that is sent by email and works once. */
export function emailSteps(methodDeps: MethodDeps): SignInSteps<EmailConfig, EmailProof> {
  const { store } = methodDeps
  if (!store) throw new MissingAdapter("adapter: an email provider needs one")
  const deps: EmailDeps = { ...methodDeps, store }
  return {
    begin: (request, provider) => requestLink(request, provider, deps),
    prove: (request, provider) => followLink(request, provider, deps),
    resolveUser: (proof, current, events) => resolveEmailUser(proof, current, { ...deps, events }),
  }
}

/**
 * Sends a link to the address in the form.
 * @throws EmailSignInError when the address is invalid or the mail cannot be sent
 * @throws AccessDenied when the `signIn` callback refuses
 */
async function requestLink(request: AuthRequest, provider: EmailConfig, deps: EmailDeps): Promise<Reply> {
  const identifier = readAddress(request, provider)
  const redirectUrl = await askPermission(identifier, provider, deps)
  if (redirectUrl !== null) return redirect(await deps.callbackUrls.check(redirectUrl, request.url.origin, request))
  const { url, cookies } = await deps.callbackUrls.resolve(request)
  // Over the limit, no mail is sent and the reply stays the same: the visitor may be flooding another person's mailbox.
  const allowance = await deps.limits.allowMail({ address: identifier, provider }, request)
  if (allowance) {
    try {
      await sendLink({ identifier, callbackUrl: url }, request, provider, deps)
    } catch (error) {
      await allowance.giveBack()
      throw error
    }
  }
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

/** Every failure of the callback is an AccessDenied, so that a stranger learns nothing about the address. */
async function askPermission(identifier: string, provider: EmailConfig, deps: EmailDeps): Promise<string | null> {
  const { user, account } = await findAddressOwner(identifier, provider, deps.store)
  try {
    return await deps.permission.ask({ user, account, email: { verificationRequest: true } })
  } catch (error) {
    throw error instanceof AccessDenied ? error : new AccessDenied(toError(error))
  }
}

interface Link {
  readonly identifier: string
  readonly callbackUrl: string
}

/** Stores the token before the mail is sent, and removes it if the mail cannot be sent. */
async function sendLink(link: Link, request: AuthRequest, provider: EmailConfig, deps: EmailDeps): Promise<void> {
  const { identifier, callbackUrl } = link
  const token = (await provider.generateVerificationToken?.()) ?? randomHex(32)
  const expires = new Date(systemClock() + (provider.maxAge ?? defaultMaxAgeSeconds) * 1000)
  const [hash = ""] = await hashToken(token, provider, deps)
  await deps.store.createVerificationToken({ identifier, token: hash, expires })
  const address = deps.actionUrl(request, `callback/${provider.id}`)
  const url = withQuery(address, { callbackUrl, token, email: identifier })
  const { theme } = deps.config
  const hostRequest = toHostRequest(request, { ...request.body })
  try {
    const params = { identifier, token, expires, url, provider, theme, request: hostRequest }
    const sending = Promise.resolve(provider.sendVerificationRequest(params))
    const late = () => new Error(`Sending took longer than ${hostDeadlineMs} ms`)
    await withDeadline(sending, hostDeadlineMs, late)
  } catch (error) {
    await deps.store.useVerificationToken({ identifier, token: hash })
    const err = cleanError(toError(error), [identifier, token, url])
    throw new EmailSignInError("The mail could not be sent", { err, provider: provider.id, concerns: "provider" })
  }
}

/** A token of ours. Any other may be a short code: that of another provider, or one that the app stored itself. */
const randomToken = /^[0-9a-f]{64}$/

/**
 * Consumes the token of a link.
 * @throws Verification when the link does not work
 */
async function followLink(
  request: AuthRequest,
  provider: EmailConfig,
  deps: EmailDeps,
): Promise<Proven<EmailProof> | Reply> {
  // A prefetch by a mail scanner or browser must not consume the link. Browsers retry after 503.
  if (isPrefetch(request)) return { status: 503, headers: { "cache-control": "no-store" } }
  const token = request.url.searchParams.get("token")
  const email = request.url.searchParams.get("email") ?? undefined
  if (!token) throw new CallbackRouteError("The link has no token", { provider: provider.id, error: "invalid_link" })
  const isGuessable = provider.generateVerificationToken !== undefined || !randomToken.test(token)
  // Attempts are counted by address. Without one, a short code could be guessed across all addresses.
  if (isGuessable && email === undefined) throw new Verification("The link has no address", { provider: provider.id })
  const attempt = await deps.limits.tryToken({ address: email, provider, isGuessable }, request)
  const identifier = await consumeToken({ token, email }, provider, deps)
  await attempt.succeed()
  return { proof: await findAddressOwner(identifier, provider, deps.store), callbackUrl: undefined, cookies: [] }
}

function isPrefetch({ headers }: AuthRequest): boolean {
  return [headers.get("sec-purpose"), headers.get("purpose")].some((purpose) => purpose?.includes("prefetch"))
}

/** @throws Verification */
async function consumeToken(
  { token, email }: { readonly token: string; readonly email: string | undefined },
  provider: EmailConfig,
  deps: EmailDeps,
): Promise<string> {
  const fault = { message: "The link was used already or never existed" }
  // Every hash is tried for every fault, so that the time of the response does not tell them apart.
  for (const hash of await hashToken(token, provider, deps)) {
    // The contract passes an absent address as undefined, which matches no token in a store.
    const found = await deps.store.useVerificationToken({ identifier: email as string, token: hash })
    if (!found || (email !== undefined && found.identifier !== email)) continue
    if (new Date(found.expires).valueOf() > systemClock()) return found.identifier
    fault.message = "The link has expired"
  }
  throw new Verification(fault.message, { provider: provider.id })
}

/**
 * The hashes that a token may be stored under; a new token is stored under the first. With several email providers, a
 * token is bound to the one that sent it, or a code could be guessed at all of them. Otherwise it has the hash of the
 * contract, which links from before a move and the links of a host's own code have too. One of each for each secret,
 * newest first, so that links sent before a rotation still work.
 */
async function hashToken(token: string, provider: EmailConfig, { config }: EmailDeps): Promise<readonly string[]> {
  const secrets = provider.secret === undefined ? config.secrets : [provider.secret]
  const bindTo = JSON.stringify([provider.id, token])
  const bound = secrets.map((secret) => macHex(secret, "email token", bindTo))
  const unbound = secrets.map((secret) => sha256Hex(`${token}${secret}`))
  const isOnly = config.providers.every(({ id, type }) => id === provider.id || type !== "email")
  return Promise.all(isOnly ? [...unbound, ...bound] : [...bound, ...unbound])
}

/** The stored user with the address, or a new user who is stored when the link is followed. */
async function findAddressOwner(identifier: string, provider: EmailConfig, store: Store): Promise<EmailProof> {
  const found = await store.getUserByEmail(identifier)
  const known = found && isSameAddress(found.email, identifier) ? found : null
  const user: AdapterUser = known ?? { id: randomUUID(), email: identifier, emailVerified: null }
  const account = { providerAccountId: identifier, userId: user.id, type: "email", provider: provider.id } as const
  return {
    candidate: user,
    user,
    account,
    achieved: ["email"],
    isKnown: known !== null,
    knownUserId: known?.id,
    // The first link that a known user follows verifies the address, which matters if someone else is signed in.
    dependsOnSession: known !== null && !known.emailVerified,
  }
}

interface EmailUserDeps extends EmailTrustDeps {
  readonly store: EmailTrustDeps["store"] & Pick<Store, "createUser" | "getUserByEmail" | "updateUser">
  readonly events: Events
}

/**
 * Resolves the user with the address, or creates one.
 * @throws AccountNotLinked when someone who never verified the address may hold the user's account
 */
export async function resolveEmailUser(
  proof: EmailProof,
  current: AdapterUser | null,
  deps: EmailUserDeps,
): Promise<ResolvedUser> {
  if (!proof.isKnown) return createOrFindUser(proof, deps)
  // The current user has both the account and the mailbox.
  if (!isSameId(current?.id, proof.user.id)) await assertSafeToShare(proof.user, proof, deps)
  return { user: await markVerified(proof.user, deps), isNewUser: false, isSignedInAlready: false }
}

/** Of two concurrent links for a new address, the store lets one create the user. */
async function createOrFindUser(proof: EmailProof, deps: EmailUserDeps): Promise<ResolvedUser> {
  const { store, events } = deps
  try {
    const user = await store.createUser({ ...proof.user, emailVerified: new Date() })
    await events.send("createUser", { user })
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    const winner = await store.getUserByEmail(proof.user.email)
    if (!winner || !isSameAddress(winner.email, proof.user.email)) throw error
    await assertSafeToShare(winner, proof, deps)
    return { user: await markVerified(winner, deps), isNewUser: false, isSignedInAlready: false }
  }
}

/** Prevents pre-hijacking: an attacker who created the account with another person's address would keep access to it. */
async function assertSafeToShare(user: AdapterUser, { account }: EmailProof, deps: EmailUserDeps): Promise<void> {
  if (!(await isHeldWithoutVerification(user, deps))) return
  const reason = "The account with this address was created without verifying it"
  const advice = "Its owner has to sign in the other way first, and then follow a link in the same browser"
  throw new AccountNotLinked(`${reason}. ${advice}`, { provider: account.provider })
}

/** Keeps the date of the first verification. The update tells the store and the host about this one. */
async function markVerified(known: AdapterUser, { store, events }: EmailUserDeps): Promise<AdapterUser> {
  const user = await store.updateUser({ id: known.id, emailVerified: known.emailVerified ?? new Date() })
  await events.send("updateUser", { user })
  return user
}
