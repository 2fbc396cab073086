import type { ChangeFault } from "@latchkey/types"
import { type AddressPlan, planAddressChange, undoSeconds } from "../../account/address-change.js"
import { findAddressOwners, isAddressProved, isSameAddress } from "../../account/email-trust.js"
import { type AuthError, toError } from "../../errors/auth-error.js"
import { AdapterError, CodeSpent, CodeWrong, EmailSignInError, Verification } from "../../errors/errors.js"
import { type Because, because, findReason } from "../../errors/failure-reason.js"
import { maskAddress, normalizeEmailAddress } from "../../host/email-address.js"
import { findField } from "../../http/request.js"
import { withQuery } from "../../http/response.js"
import {
  consumeSecret,
  createMailTools,
  type GivenSecret,
  type MailVisit,
  mailSecret,
  takeSecret,
} from "../../mail/mailed-secret.js"
import { isSameId } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import { ownSessions } from "../../session/own-sessions.js"
import { formerAddresses, type KeptAddress } from "./former-addresses.js"
import { changePurpose, notify, sendAccountMail } from "./mails.js"
import { undoPath } from "./names.js"
import { ChangeRefused, type Outcome, type Visit } from "./section.js"
import { showProfile } from "./session-profile.js"
import { getText } from "./text.js"

/** What mailed secrets need of a visit. */
export function toMailVisit({ request, context, store }: Visit): MailVisit {
  return { request, context, tools: createMailTools(store, context) }
}

/** Users of passkeys and of some providers have no address. */
function getAddress({ user }: Visit): string | null {
  // as: the contract's type has no null.
  const email = user.email as string | null | undefined
  return email?.trim() ? email : null
}

/** The mailed secrets work for this user and this address alone: after a change they are worthless. */
function toState(visit: Visit): string {
  return JSON.stringify([visit.userId, getAddress(visit)])
}

/** @param why The error whose reason it has. Default: that of the code. */
function refused(code: ChangeFault, field?: string, why?: AuthError): ChangeRefused {
  const details = { code, ...(field !== undefined && { field }) }
  const cause = why ? findReason(why) : reasons[code]
  return new ChangeRefused(`The address cannot be changed: ${code}`, details, cause)
}

const reasons: Partial<Readonly<Record<ChangeFault, Because>>> = {
  address: because("address-invalid"),
  taken: because("account-of-another-user"),
}

/**
 * `action=send` with `email`: mails a link and a code to the new address. For an address that another account has, the
 * answer is the same, and the mail tells its owner.
 */
export async function requestChange(visit: Visit): Promise<Outcome> {
  const { request, context, user } = visit
  const address = readAddress(visit)
  if (isSameAddress(user.email, address)) throw refused("same", "email")
  const isTaken = await isTakenByOther(address, visit, getText(request, "email"))
  const target = context.actionUrl(request, "account/email")
  const cookies = await orRefused(
    () =>
      mailSecret(
        {
          purpose: changePurpose,
          address,
          state: isTaken ? null : toState(visit),
          url: target,
          target,
          data: visit.userId,
          send: ({ url, code }) =>
            isTaken
              ? sendAccountMail({ kind: "taken", to: address, url: context.actionUrl(request, "signin") }, visit)
              : sendAccountMail({ kind: "change", to: address, url, code }, visit),
        },
        toMailVisit(visit),
      ),
    visit,
  )
  // The page itself says whether the email was sent again, or has to wait.
  const isAgain = findField(request, "again") !== undefined
  return { json: { step: "code" }, done: "sent", cookies, ...(isAgain && { url: target }) }
}

function readAddress({ request }: Visit): string {
  try {
    return normalizeEmailAddress(getText(request, "email"))
  } catch {
    throw refused("address", "email")
  }
}

/** Whether another user has the address, or can have it restored. Both are looked up in any case, for the time of the answer. */
async function isTakenByOther(address: string, { context, store, userId }: Visit, typed = address): Promise<boolean> {
  const owners = await findAddressOwners([typed, address], store)
  const former = await formerAddresses(store, context.secrets).findByAddress(address)
  return [...owners.map(({ id }) => id), former?.userId].some((id) => id !== undefined && !isSameId(id, userId))
}

/** A mail that cannot be sent is logged, and explained on the page. */
async function orRefused<T>(work: () => Promise<T>, { request, context }: Visit): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof EmailSignInError)) throw thrown
    context.log.errorOnce(toError(thrown), request)
    throw refused("mail", undefined, thrown)
  }
}

/** `action=confirm` with `code`, or with the `token` of the link: changes the address. */
export async function confirmChange(visit: Visit): Promise<Outcome> {
  const { address, succeed } = await takeProof(visit)
  await succeed()
  await changeAlone(address, visit)
  const cookies = await showProfile({ email: address }, visit.request, visit.context)
  return { json: { email: address }, done: "changed", cookies }
}

/** @throws ChangeRefused */
async function takeProof(visit: Visit): Promise<GivenSecret> {
  const [state, mailVisit] = [toState(visit), toMailVisit(visit)]
  try {
    const secret = await takeSecret(changePurpose, async () => state, mailVisit)
    await consumeSecret(secret, changePurpose, state, mailVisit)
    return secret
  } catch (thrown) {
    if (thrown instanceof CodeWrong) throw refused("code", "code", thrown)
    if (thrown instanceof Verification && thrown.cause?.["isUsedElsewhere"] === true)
      throw new ChangeRefused(
        "The link of the code was used elsewhere",
        { code: "spent", word: "used" },
        findReason(thrown),
      )
    if (thrown instanceof CodeSpent || thrown instanceof Verification) throw refused("spent", undefined, thrown)
    throw thrown
  }
}

/**
 * Changes the address while no other user can change to it. Otherwise, the one who comes second would find that out after a
 * link to undo the change was mailed.
 */
async function changeAlone(address: string, visit: Visit): Promise<void> {
  const release = await formerAddresses(visit.store, visit.context.secrets).claim(visit.userId, address)
  if (!release) throw refused("taken")
  try {
    await change(address, visit)
  } finally {
    // It expires soon if the store fails here.
    await release().catch(() => {})
  }
}

/**
 * Changes the address to one that was proved. A former one that was proved as well is kept and told first: without a way to
 * undo it, nothing is changed.
 */
async function change(address: string, visit: Visit): Promise<void> {
  const { request, context, store, userId, sessions } = visit
  const former = formerAddresses(store, context.secrets)
  const current = getAddress(visit)
  const plan = planAddressChange({ current, wanted: address, now: systemClock() }, await former.list(userId))
  const { outdated, isReturn } = plan
  // An undo meanwhile has left no former address. The current one of this visit must not become one, with a link.
  if (!(await isLive(visit))) throw refused("spent")
  if (await isTakenByOther(address, visit)) throw refused("taken")
  for (const kept of outdated) await former.drop(kept)
  const kept = await keepOldest(plan, visit)
  if (kept && !isReturn) await tellFormer(kept, address, visit)
  try {
    await replace(address, visit)
  } catch (thrown) {
    if (kept && !isReturn) await takeBack(kept, plan, visit)
    throw thrown
  }
  // Another change of the user that was refused at the same time may have dropped it.
  if (kept && !isReturn) await former.putBack(kept)
  if (kept && isReturn) await former.drop(kept)
  await ownSessions(context).endAll(userId, sessions?.[0]?.id, request)
  if (isReturn && current) await notify({ kind: "restored", to: current, url: `${request.url.origin}/` }, visit)
  context.log.record({ kind: "email-changed", userId }, request)
  await context.events.send("emailChanged", { userId, isUndone: false }, request)
}

/** The address that an undo restores. Null without one that was proved. */
async function keepOldest({ oldest, isRenewed }: AddressPlan<KeptAddress>, visit: Visit): Promise<KeptAddress | null> {
  const { context, store, user, userId } = visit
  const former = formerAddresses(store, context.secrets)
  if (oldest && !isRenewed) return oldest
  if (oldest) {
    const renewed = await former.renew(oldest, store)
    if (renewed) return renewed
    throw refused("spent")
  }
  // An address that was never proved may have been mistyped, so its mailbox may belong to a stranger.
  return (await isAddressProved(visit.user, visit.store)) ? former.keep({ ...user, id: userId }) : null
}

/**
 * Nothing was changed, so there is nothing to undo, unless another change of the user came first. The former address was told of
 * a change, because that must come before it.
 */
async function takeBack(kept: KeptAddress, { oldest }: AddressPlan<KeptAddress>, visit: Visit): Promise<void> {
  const { context, store, userId } = visit
  if (oldest) return
  const former = formerAddresses(store, context.secrets)
  const isUnchanged = async () => isSameAddress((await store.getUser(userId))?.email, kept.email)
  if (!(await isUnchanged())) return
  await former.drop(kept)
  if (!(await isUnchanged())) return former.putBack(kept)
  await notify({ kind: "restored", to: kept.email, url: `${visit.request.url.origin}/` }, visit)
}

/** Whether the session of the visit has not ended meanwhile. */
async function isLive({ store, userId, sessions }: Visit): Promise<boolean> {
  return (await store.listSessionsByUserId(userId)).some(({ id }) => id === sessions?.[0]?.id)
}

/** Both the oldest address and the last one get the link that restores the oldest. */
async function tellFormer(kept: KeptAddress, address: string, visit: Visit): Promise<void> {
  const { request, context, store } = visit
  const token = await formerAddresses(store, context.secrets).toToken(kept)
  const url = withQuery(context.actionUrl(request, undoPath), { change: kept.change.id, token })
  const mail = { kind: "changed", url, values: { address: maskAddress(address) }, seconds: undoSeconds } as const
  await orRefused(async () => {
    for (const to of new Set([kept.email, getAddress(visit)])) if (to) await sendAccountMail({ ...mail, to }, visit)
  }, visit)
}

/**
 * Replaces the address by compare and set. Puts the former one back if another user gave up the new one meanwhile, or if the
 * session has ended, as by an undo.
 */
async function replace(address: string, visit: Visit): Promise<void> {
  const { store, user, userId } = visit
  const from = getAddress(visit)
  const changed = { userId, from, to: address, emailVerified: new Date(systemClock()) }
  try {
    if (!(await store.replaceEmail(changed))) throw refused("spent")
  } catch (thrown) {
    const owner = thrown instanceof AdapterError ? await store.getUserByEmail(address) : null
    throw owner && !isSameId(owner.id, userId) ? refused("taken") : thrown
  }
  const goesOn = await isLive(visit)
  if (goesOn && !(await isTakenByOther(address, visit))) return
  await store.replaceEmail({ userId, from: address, to: from, emailVerified: user.emailVerified })
  throw refused(goesOn ? "taken" : "spent")
}
