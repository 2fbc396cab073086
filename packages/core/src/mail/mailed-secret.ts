import { chooseReplayGuard, type ReplayGuard } from "../checks/replay.js"
import { isEqualInConstantTime, macHex } from "../crypto/hash.js"
import { randomHex } from "../crypto/random.js"
import { CodeSpent, CodeWrong, EmailSignInError, InvalidRequest, Verification } from "../errors/errors.js"
import { because, type FailureReason } from "../errors/failure-reason.js"
import { normalizeEmailAddress } from "../host/email-address.js"
import type { Store } from "../host/store.js"
import type { ResolvedCookies } from "../http/own-cookies.js"
import { type AuthRequest, findField } from "../http/request.js"
import { withQuery } from "../http/response.js"
import type { Limits } from "../rate-limit/limiter.js"
import { toDate } from "../runtime/merge.js"
import { systemClock } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { ResponseCookie } from "../types/http.js"
import {
  beginPause,
  createMailFlows,
  createMailIds,
  findResending,
  isCodeLive,
  type MailFlow,
  type MailFlows,
  maxGuesses,
  takeGuess,
  voidCode,
} from "./flow.js"
import {
  codeMaxAgeSeconds,
  hashCode,
  hashPurposeToken,
  isCode,
  linkMaxAgeSeconds,
  type MailedToken,
  type MailOwner,
  type SecretsConfig,
  toCode,
} from "./secret.js"

/** The purpose of a mailed secret. Declared by the provider or feature that sends it, and valid for that owner only. */
export interface MailPurpose {
  readonly owner: MailOwner
  /** Part of the keys: a secret for one purpose is worthless for another. */
  readonly key: string
  /** Names the flows in the cookies, and the budgets. */
  readonly flows: string
  /** The hashes that a token may be stored under, the first for a new one. Default: bound to the purpose and the state. */
  readonly hash?: (mailed: MailedToken) => Promise<readonly string[]>
}

/**
 * A purpose of a feature, or of a method with pages of its own. Its keys have the owner's id, so that two owners never share
 * one, and a colon, so that they are no provider's.
 */
export function createMailPurpose(owner: string, name: string): MailPurpose {
  const key = `${owner}:${name}`
  return { owner: { id: owner }, key, flows: key }
}

/** Returns what must not have changed since the email to an address was sent. Null if the secret can be of no use now. */
export type FindState = (address: string) => Promise<string | null>

/** How much longer the browser that asked is told that the email is too old. */
const rememberedSeconds = 24 * 60 * 60

/** The field of a form that sends an email again. */
const againField = "again"

/** An email with a secret. */
export interface MailRequest {
  readonly purpose: MailPurpose
  readonly address: string
  /**
   * What must not have changed when the secret is used. Null if there is nothing to do for this address: the work and the
   * answer are the same, and the code and the link that are not mailed fit nothing.
   */
  readonly state: string | null
  /** Where the link leads. It gets the token and the address. */
  readonly url: string
  /** Where the visitor goes afterwards. */
  readonly target: string
  /** What the browser keeps for later, sealed. */
  readonly data?: string
  /** How long the link works. A link that is shorter-lived than a code ends the code, too. */
  readonly maxAgeSeconds?: number
  /** Default: true. */
  readonly hasCode?: boolean
  /** Whether the browser remembers the email. Default: true. */
  readonly isKept?: boolean
  /** Undefined: 32 random bytes. */
  readonly createToken?: () => Awaitable<string> | undefined
  /** Sends the email. Undefined: none is sent. */
  readonly send: ((secrets: MailedSecrets) => Promise<unknown>) | undefined
}

/** The secrets of an email. */
interface MailedSecrets {
  readonly url: string
  readonly token: string
  /** Undefined for a link alone. */
  readonly code: string | undefined
  readonly expires: Date
}

/** What mailed secrets need of a service. */
interface MailContext extends SecretsConfig {
  readonly cookies: ResolvedCookies
  readonly limits: Pick<Limits, "allowMail" | "tryToken">
}

/** A request that mails a secret, or gives one back. */
export interface MailVisit {
  readonly request: AuthRequest
  readonly context: MailContext
  readonly tools: MailTools
}

/** What mailed secrets are kept with. */
export interface MailTools {
  readonly store: Store
  readonly flows: MailFlows
  /** Counts the guesses at codes. */
  readonly guesses: ReplayGuard
}

export function createMailTools(store: Store, { secrets, cookies }: Omit<MailContext, "limits">): MailTools {
  return { store, flows: createMailFlows(secrets, cookies), guesses: chooseReplayGuard(store) }
}

/**
 * Mails a secret if the limits allow it, and returns the cookies that keep the flow. Over the limit, none is sent and the
 * reply stays the same, because the visitor may be flooding another person's mailbox: the former email stays valid, or a flow
 * begins that no code fits.
 */
export async function mailSecret(mail: MailRequest, visit: MailVisit): Promise<readonly ResponseCookie[]> {
  const { purpose, address, target, data, hasCode = true, isKept = true, maxAgeSeconds = linkMaxAgeSeconds } = mail
  const { key, owner, flows: provider } = purpose
  const { request, context, tools } = visit
  const { flows, guesses } = tools
  const pending = isKept ? await flows.find(request.cookies, provider) : []
  const former = pending.find(({ identifier }) => identifier === address)
  const keep = (flow: MailFlow) => flows.keep(flow, request.cookies, maxAgeSeconds + rememberedSeconds)
  const waitsUntil = await findWait(mail, former, visit)
  const allowance =
    waitsUntil === null && (await context.limits.allowMail({ address, provider: { id: provider } }, request))
  if (!allowance && former) return keep({ ...former, target, data, ...(waitsUntil && { waitsUntil }) })
  const token = await createToken(mail)
  const code = hasCode ? await toCode({ purpose: key, identifier: address, token }, owner, context) : undefined
  if (allowance) {
    try {
      await storeAndSend(mail, { token, code, expires: new Date(systemClock() + maxAgeSeconds * 1000) }, visit)
    } catch (error) {
      await allowance.giveBack()
      throw error
    }
    if (former) await voidCode(former, guesses)
  }
  if (!isKept) return []
  const ids = createMailIds(former)
  const kept = code !== undefined && {
    hash: await hashCode(code, ids.mailId, owner, context),
    expires: systemClock() + Math.min(codeMaxAgeSeconds, maxAgeSeconds) * 1000,
  }
  return keep({ ...ids, provider, identifier: address, token, target, data, ...(kept && { code: kept }) })
}

/** What careless code makes of a missing value or an object: each link would have the same token. */
const constantToken = /^(?:|NaN|true|false|undefined|null|\[object .*)$/

async function createToken(mail: MailRequest): Promise<string> {
  // Plain JavaScript may return a number. The link has it as text, so that the text has to be hashed.
  const token = String((await mail.createToken?.()) ?? randomHex(32))
  if (!constantToken.test(token)) return token
  throw new EmailSignInError("generateVerificationToken returned no token", { provider: mail.purpose.owner.id })
}

/** When the email may be sent again, if it was a moment ago: the page says how long to wait. Null for a first email. */
async function findWait(
  { purpose, address }: MailRequest,
  former: MailFlow | undefined,
  { request, context, tools }: MailVisit,
): Promise<number | null> {
  if (findField(request, againField) === undefined) return null
  const { pauseSeconds } = former ? findResending(former) : { pauseSeconds: 0 }
  if (pauseSeconds > 0) return systemClock() + pauseSeconds * 1000
  const [secret = ""] = context.secrets
  const name = await macHex(secret, "mail pause", JSON.stringify([purpose.key, address]))
  return beginPause(name, tools.guesses)
}

/** Stores the token before the email is sent, and removes it if the email cannot be sent. */
async function storeAndSend(
  mail: MailRequest,
  secrets: Omit<MailedSecrets, "url">,
  { context, tools }: MailVisit,
): Promise<void> {
  const { purpose, address, state, send } = mail
  const { token, expires } = secrets
  const [hash = randomHex(32)] = await listHashes({ address, token }, purpose, state, context)
  await tools.store.createVerificationToken({ identifier: address, token: hash, expires })
  try {
    await send?.({ ...secrets, url: withQuery(mail.url, { token, email: address }) })
  } catch (error) {
    await tools.store.useVerificationToken({ identifier: address, token: hash })
    throw error
  }
}

/** For the state null those of another token, so that as much is looked up, and nothing fits. */
async function listHashes(
  { address, token }: MailedLink,
  purpose: MailPurpose,
  state: string | null,
  context: SecretsConfig,
): Promise<readonly string[]> {
  const mailed = { purpose: purpose.key, identifier: address, token: state === null ? randomHex(32) : token }
  return purpose.hash ? purpose.hash(mailed) : hashPurposeToken(mailed, state ?? "", context)
}

/** The newest email of this browser for a purpose whose code still works. */
export async function findLiveFlow(
  purpose: Pick<MailPurpose, "flows">,
  { request, tools }: Pick<MailVisit, "request"> & { readonly tools: Pick<MailTools, "flows"> },
): Promise<MailFlow | undefined> {
  const flows = await tools.flows.find(request.cookies, purpose.flows)
  return flows.find(isCodeLive)
}

/** The email of this browser whose link has the token. */
export async function findFlowOf(
  purpose: MailPurpose,
  link: MailedLink,
  { request, tools }: MailVisit,
): Promise<MailFlow | undefined> {
  const flows = await tools.flows.find(request.cookies, purpose.flows)
  return flows.find(({ token, identifier }) => identifier === link.address && isEqualInConstantTime(token, link.token))
}

/** The secrets of a link. */
export interface MailedLink {
  readonly token: string
  readonly address: string
}

/** Those in the query, or in the form of the page behind the link. Null without a token. */
export function readLink(request: AuthRequest, { owner: { id: provider } }: MailPurpose): MailedLink | null {
  const read = (name: string) => findField(request, name) ?? request.url.searchParams.get(name) ?? ""
  const token = read("token")
  if (token === "") return null
  if (!isRandomToken(token))
    throw new Verification("The link has no token of this service", { provider, ...because("link-spent") })
  try {
    return { token, address: normalizeEmailAddress(read("email")) }
  } catch {
    throw new Verification("The link has no address", { provider })
  }
}

/** Whether a token is one of ours. Any other may be a short code: that of another provider, or one that the app stored. */
export function isRandomToken(token: string): boolean {
  return /^[0-9a-f]{64}$/.test(token)
}

/** A secret that was given back, and is not used up yet. */
export interface GivenSecret extends MailedLink {
  /** Undefined for a link that was opened elsewhere. */
  readonly flow: MailFlow | undefined
  /** Whether it is the code, not the link. */
  readonly isCode: boolean
  /** Call it when the secret was right. */
  succeed(): Promise<unknown>
}

/**
 * The secret of a request: a link, or the code that was typed where the email was asked for. A guess is counted.
 * @throws CodeWrong, CodeSpent
 */
export async function takeSecret(purpose: MailPurpose, findState: FindState, visit: MailVisit): Promise<GivenSecret> {
  const { request, context } = visit
  const link = readLink(request, purpose)
  if (!link) return takeCode(purpose, findState, visit)
  const provider = { id: purpose.flows }
  const attempt = await context.limits.tryToken({ address: link.address, provider, isGuessable: false }, request)
  const flow = await findFlowOf(purpose, link, visit)
  return { ...link, flow, isCode: false, succeed: () => attempt.succeed() }
}

/**
 * Takes the code that was typed where the email was asked for, and counts the guess.
 * @throws CodeWrong while there are guesses left
 * @throws CodeSpent when this browser has no email whose code can be typed
 */
export async function takeCode(
  purpose: MailPurpose,
  findState: FindState,
  visit: MailVisit,
): Promise<GivenSecret & { readonly flow: MailFlow }> {
  const { request, context, tools } = visit
  const typed = findField(request, "code")
  if (typed === undefined)
    throw new InvalidRequest("code: must be the text of the code in the email. Or send the token of its link")
  const flow = await findNamedFlow(purpose, visit)
  // First: once its five guesses are used, an email must not use up the budgets of its address, too.
  const guess = flow && (await countGuess(flow, purpose, tools))
  // Also counted without a flow: a code of one provider must not be tried at another for free.
  const provider = { id: purpose.flows }
  const attempt = await context.limits.tryToken({ address: flow?.identifier, provider, isGuessable: true }, request)
  if (!flow || guess === undefined)
    throw spentCode(
      "No email with a code was requested in this browser, or a process with another secret sent it",
      purpose,
      "link-replaced",
    )
  const secret = { address: flow.identifier, token: flow.token }
  if (!(await isCode(typed, { hash: flow.code?.hash ?? "", flow: flow.mailId }, purpose.owner, context))) {
    if (guess < maxGuesses) {
      const about = because("code-guesses", { guess, allowed: maxGuesses })
      throw new CodeWrong("The code is wrong", { provider: purpose.owner.id, ...about })
    }
    await useToken(secret, purpose, await findState(secret.address), visit)
    throw spentCode("The code was wrong too often. Its link was removed, too", purpose, "code-guesses")
  }
  return { ...secret, flow, isCode: true, succeed: () => attempt.succeed() }
}

/** The flow that the form names, or the newest one with a code. Only one: a guess must not count for several codes. */
async function findNamedFlow({ flows }: MailPurpose, { request, tools }: MailVisit): Promise<MailFlow | undefined> {
  const pending = (await tools.flows.find(request.cookies, flows)).filter(({ code }) => code !== undefined)
  const named = findField(request, "flow")
  return named === undefined ? pending[0] : pending.find(({ id }) => id === named)
}

/** Counts a guess before it is checked: 1 for the first. */
async function countGuess(flow: MailFlow, purpose: MailPurpose, { guesses }: MailTools): Promise<number> {
  if (!isCodeLive(flow)) throw spentCode("The code has expired", purpose, "link-expired")
  const guess = await takeGuess(flow, guesses)
  if (guess !== null) return guess
  throw spentCode("The code was tried too often, or was replaced by another email", purpose, "code-guesses")
}

/** What the page says: see `findErrorMessage`. */
const spentWords: Partial<Readonly<Record<FailureReason, string>>> = { "code-guesses": "guesses", "link-spent": "used" }

function spentCode(message: string, { owner }: MailPurpose, reason: FailureReason): CodeSpent {
  return new CodeSpent(message, { provider: owner.id, error: spentWords[reason] ?? "code", ...because(reason) })
}

/**
 * Like {@link consumeSecret}, for a code that was right: its email is this browser's, and young enough.
 * @throws CodeSpent if its link was used elsewhere
 */
export async function consumeCode(
  secret: MailedLink,
  purpose: MailPurpose,
  state: string | null,
  visit: MailVisit,
): Promise<string> {
  const { address } = await useToken(secret, purpose, state, visit)
  if (address !== null) return address
  throw spentCode("The link in the email of this code was used already", purpose, "link-spent")
}

/** A link. The app may have removed its address. */
type OpenedLink = Pick<MailedLink, "token"> & {
  readonly address: string | undefined
  /** Whether its code was typed, and was right. Default: false. */
  readonly isCode?: boolean
}

/**
 * Uses up the token of a secret.
 * @returns the address that it was mailed to
 * @throws Verification unless it is unused, young enough, for this purpose, and for the same state
 */
export async function consumeSecret(
  secret: OpenedLink,
  purpose: MailPurpose,
  state: string | null,
  visit: MailVisit,
): Promise<string> {
  const { address, fault, reason } = await useToken(secret, purpose, state, visit)
  if (address !== null) return address
  // A code that was right, and young enough: its email is of use no more, since its link was opened elsewhere.
  const isUsedElsewhere = secret.isCode === true && reason === "link-spent"
  throw new Verification(fault, {
    provider: purpose.owner.id,
    ...because(reason),
    ...(isUsedElsewhere && { isUsedElsewhere }),
  })
}

async function useToken({ token, address }: OpenedLink, purpose: MailPurpose, state: string | null, visit: MailVisit) {
  const { context, tools } = visit
  let reason: FailureReason = "link-spent"
  let fault =
    "The email was used already, never existed or was sent with another secret, or something has changed since"
  // Every hash is tried for every fault, so that the time of the response does not tell them apart.
  for (const hash of await listHashes({ address: address ?? "", token }, purpose, state, context)) {
    // as: the contract passes an absent address as undefined, which matches no token in a store.
    const found = await tools.store.useVerificationToken({ identifier: address as string, token: hash })
    if (!found || (address !== undefined && found.identifier !== address)) continue
    if (toDate(found.expires).valueOf() > systemClock()) return { address: found.identifier, fault, reason }
    fault = "The email is too old"
    reason = "link-expired"
  }
  return { address: null, fault, reason }
}
