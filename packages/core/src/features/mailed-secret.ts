import { checkMailedCode, countGuess, spentCode } from "../checks/mail-code.js"
import { createMailIds, type MailFlow, type MailFlows, voidCode } from "../checks/mail-flow.js"
import type { ReplayGuard } from "../checks/replay.js"
import { isEqualInConstantTime } from "../crypto/hash.js"
import { randomHex } from "../crypto/random.js"
import { InvalidRequest, Verification } from "../errors/errors.js"
import type { Store } from "../host/store.js"
import { type AuthRequest, findField } from "../http/request.js"
import { withQuery } from "../http/response.js"
import { codeMaxAgeSeconds, hashCode, hashPurposeToken, type MailPurpose, toCode } from "../mail/secret.js"
import { normalizeEmailAddress } from "../methods/email/address.js"
import { systemClock } from "../runtime/promise.js"
import type { ResponseCookie } from "../types/http.js"
import type { ActionContext } from "./feature.js"

/** What a mail of a feature is for. */
export type OwnPurpose = Exclude<MailPurpose, "sign-in">

/** Returns what must not have changed since the mail to an address was sent. Null if the secret can be of no use now. */
export type FindState = (address: string) => Promise<string | null>

/** How long a link works, in seconds. */
export const linkMaxAgeSeconds: number = 60 * 60
/** How much longer the browser that asked is told that the mail is too old. */
const rememberedSeconds = 24 * 60 * 60

/** Whose the mails of a purpose are: the id of a provider, or the option of a feature. */
const owners: Readonly<Record<OwnPurpose, { readonly id: string }>> = {
  "password sign-up": { id: "password" },
  "password reset": { id: "password" },
  "password add": { id: "password" },
  "email change": { id: "account" },
}

/** With a colon, so that it is no provider's. */
const flowOwner = (purpose: OwnPurpose): string => `${owners[purpose].id}:${purpose}`

/** A mail with a secret. */
export interface MailRequest {
  readonly purpose: OwnPurpose
  readonly address: string
  /**
   * What must not have changed when the secret is used. Null if there is nothing to do for this address: the work and the
   * answer are the same, and the code and the link that are not mailed fit nothing.
   */
  readonly state: string | null
  /** The path of the link, below the base path. */
  readonly path: string
  /** Where the visitor goes afterwards. */
  readonly target: string
  /** What the browser keeps for later, sealed. */
  readonly data?: string
  /** Sends the mail. Undefined: none is sent. */
  readonly send: ((secrets: { readonly url: string; readonly code: string }) => Promise<unknown>) | undefined
}

/** A request of a feature that mails secrets. */
export interface MailVisit {
  readonly request: AuthRequest
  readonly context: ActionContext
  readonly tools: MailTools
}

/** What mailed secrets are kept with. */
export interface MailTools {
  readonly store: Store
  readonly flows: MailFlows
  readonly guesses: ReplayGuard
}

/**
 * Mails a secret if the limits allow it, and returns the cookies that keep the flow. Over the limit the answer is the same:
 * the former mail stays valid, or a flow begins that no code fits.
 */
export async function mailSecret(mail: MailRequest, visit: MailVisit): Promise<readonly ResponseCookie[]> {
  const { purpose, address, target, data } = mail
  const { request, context, tools } = visit
  const { flows, guesses } = tools
  const provider = flowOwner(purpose)
  const allowance = await context.limits.allowMail({ address, provider: { id: provider } }, request)
  const former = (await flows.find(request.cookies, provider)).find(({ identifier }) => identifier === address)
  const keep = (flow: MailFlow) => flows.keep(flow, request.cookies, linkMaxAgeSeconds + rememberedSeconds)
  if (!allowance && former) return keep({ ...former, target, data })
  const token = randomHex(32)
  const code = await toCode({ purpose, identifier: address, token }, owners[purpose], context)
  if (allowance) {
    try {
      await storeAndSend(mail, { token, code }, visit)
    } catch (error) {
      await allowance.giveBack()
      throw error
    }
    if (former) await voidCode(former, guesses)
  }
  const ids = createMailIds(former)
  const kept = {
    hash: await hashCode(code, ids.mailId, owners[purpose], context),
    expires: systemClock() + codeMaxAgeSeconds * 1000,
  }
  return keep({ ...ids, provider, identifier: address, token, code: kept, target, data })
}

interface Secrets {
  readonly token: string
  readonly code: string
}

/** Stores the token before the mail is sent, and removes it if the mail cannot be sent. */
async function storeAndSend(mail: MailRequest, { token, code }: Secrets, visit: MailVisit): Promise<void> {
  const { purpose, address, state, path, send } = mail
  const { request, context, tools } = visit
  const [hash = ""] =
    state === null ? [randomHex(32)] : await hashPurposeToken({ purpose, identifier: address, token }, state, context)
  const expires = new Date(systemClock() + linkMaxAgeSeconds * 1000)
  await tools.store.createVerificationToken({ identifier: address, token: hash, expires })
  try {
    await send?.({ url: withQuery(context.actionUrl(request, path), { token, email: address }), code })
  } catch (error) {
    await tools.store.useVerificationToken({ identifier: address, token: hash })
    throw error
  }
}

/** The newest mail of this browser for a purpose whose code still works. */
export async function findLiveFlow(purpose: OwnPurpose, { request, tools }: MailVisit): Promise<MailFlow | undefined> {
  const flows = await tools.flows.find(request.cookies, flowOwner(purpose))
  return flows.find(({ code }) => code !== undefined && code.expires > systemClock())
}

/** The mail of this browser whose link has the token. */
export async function findFlowOf(
  purpose: OwnPurpose,
  link: MailedLink,
  { request, tools }: MailVisit,
): Promise<MailFlow | undefined> {
  const flows = await tools.flows.find(request.cookies, flowOwner(purpose))
  return flows.find(({ token, identifier }) => identifier === link.address && isEqualInConstantTime(token, link.token))
}

/** The secrets of a link. */
export interface MailedLink {
  readonly token: string
  readonly address: string
}

/** Those in the query, or in the form of the page behind the link. Null without a token. */
export function readLink(request: AuthRequest, purpose: OwnPurpose): MailedLink | null {
  const provider = owners[purpose].id
  const read = (name: string) => findField(request, name) ?? request.url.searchParams.get(name) ?? ""
  const token = read("token")
  if (token === "") return null
  if (!/^[0-9a-f]{64}$/.test(token)) throw new Verification("The link has no token of this service", { provider })
  try {
    return { token, address: normalizeEmailAddress(read("email")) }
  } catch {
    throw new Verification("The link has no address", { provider })
  }
}

/** A secret that was given back, and is not used up yet. */
export interface GivenSecret {
  readonly address: string
  readonly token: string
  /** Undefined for a link that was opened elsewhere. */
  readonly flow: MailFlow | undefined
  /** Call it when the secret was right. */
  succeed(): Promise<unknown>
}

/**
 * The secret of a request: a link, or the code that was typed where the mail was asked for. A guess is counted.
 * @throws CodeWrong, CodeSpent
 */
export async function takeSecret(purpose: OwnPurpose, findState: FindState, visit: MailVisit): Promise<GivenSecret> {
  const { request, context, tools } = visit
  const provider = { id: flowOwner(purpose) }
  const link = readLink(request, purpose)
  const owner = owners[purpose]
  if (link) {
    const attempt = await context.limits.tryToken({ address: link.address, provider, isGuessable: false }, request)
    return { ...link, flow: await findFlowOf(purpose, link, visit), succeed: () => attempt.succeed() }
  }
  const typed = findField(request, "code")
  if (typed === undefined)
    throw new InvalidRequest("code: missing. Send the code of the mail, or the token of its link")
  const flow = await findNamedFlow(purpose, visit)
  // First: once its five guesses are used, a mail must not use up the budgets of its address, too.
  const guess = flow && (await countGuess(flow, { owner, guesses: tools.guesses }))
  const attempt = await context.limits.tryToken({ address: flow?.identifier, provider, isGuessable: true }, request)
  if (!flow || guess === undefined) throw spentCode("No mail with a code was requested in this browser", owner)
  const { identifier, token } = flow
  const endLink = async () => {
    const state = await findState(identifier)
    return state !== null && useToken({ address: identifier, token }, purpose, state, visit)
  }
  await checkMailedCode({ typed, guess }, flow, { owner, config: context, guesses: tools.guesses, endLink })
  return { address: identifier, token, flow, succeed: () => attempt.succeed() }
}

/** The flow that the form names, or the newest one. Only one: a guess must not count for several codes. */
async function findNamedFlow(purpose: OwnPurpose, { request, tools }: MailVisit): Promise<MailFlow | undefined> {
  const flows = (await tools.flows.find(request.cookies, flowOwner(purpose))).filter(({ code }) => code !== undefined)
  const named = findField(request, "flow")
  return named === undefined ? flows[0] : flows.find(({ id }) => id === named)
}

/**
 * Uses up the token of a secret.
 * @throws Verification unless it is unused, young enough, for this purpose, and for the same state
 */
export async function consumeSecret(
  secret: MailedLink,
  purpose: OwnPurpose,
  state: string | null,
  visit: MailVisit,
): Promise<void> {
  if (state !== null && (await useToken(secret, purpose, state, visit))) return
  throw new Verification("The mail was used already, is too old, or something has changed since", {
    provider: owners[purpose].id,
  })
}

async function useToken(
  { address, token }: MailedLink,
  purpose: OwnPurpose,
  state: string,
  { context, tools }: MailVisit,
): Promise<boolean> {
  for (const hash of await hashPurposeToken({ purpose, identifier: address, token }, state, context)) {
    const found = await tools.store.useVerificationToken({ identifier: address, token: hash })
    if (found?.identifier === address) return new Date(found.expires).valueOf() > systemClock()
  }
  return false
}
