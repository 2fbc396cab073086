import {
  checkAreaWrite,
  dropChange,
  findDeletionFault,
  isPutBack,
  recordAddress,
  recordChange,
  recordUnlink,
} from "./account-writes.js"
import type { Exchange, Proof, Write } from "./exchange.js"
import { recordFactor, removeFactor } from "./factor-rules.js"
import type { FlowFacts, ObeyedFacts } from "./facts.js"
import { adoptFormer, endFormers } from "./half-rules.js"
import {
  createUserFacts,
  describeUser,
  endedBy,
  endOf,
  freshMarginMs,
  freshMs,
  lastProofOf,
  liveUserOf,
  type Model,
  mayAct,
  mislead,
  recordsOf,
} from "./model.js"
import { recordPassword } from "./password-rules.js"

/** Keeps the model up to date with the store, and reports what no one was entitled to. Called after each write. */
export function checkWrite(model: Model, exchange: Exchange, write: Write): void {
  exchange.writes.push(write)
  rules[write.method]?.(model, exchange, write)
}

type WriteRule = (model: Model, exchange: Exchange, write: Write) => void

const rules: Readonly<Record<string, WriteRule>> = {
  createUser: recordUser,
  updateUser: (model, exchange, write) => {
    const { args, result } = write
    const address = { id: textOf(result, "id"), email: textOf(result, "email") }
    checkAreaWrite(model, exchange, write)
    // A sign-in by mail may be late, and find an address that replaced its own and was proved itself.
    if (Object(args[0]).emailVerified && !isProven(model, address)) assertMailboxProven(model, exchange, address)
  },
  markEmailVerified: (model, exchange, { args }) =>
    assertMailboxProven(model, exchange, { id: textOf(args[0], "userId"), email: textOf(args[0], "email") }),
  deleteUser: recordDeletion,
  linkAccount: recordAccount,
  createAuthenticator: recordPasskey,
  deleteAuthenticator: (model, exchange, write) => {
    checkAreaWrite(model, exchange, write)
    model.passkeys.delete(String(write.args[0]))
  },
  replaceEmail: recordAddress,
  createAccountChange: recordChange,
  deleteAccountChange: dropChange,
  unlinkAccount: recordUnlink,
  setPassword: recordPassword,
  createFactor: recordFactor,
  deleteFactor: removeFactor,
  createSession: (model, _, { result }) => recordRow(model, textOf(result, "sessionToken"), textOf(result, "userId")),
  createSessionDetail: recordSession,
  seeSession: (model, _, { args, result }) => {
    const isOver = (model.records.get(textOf(args[0], "id"))?.endedMs ?? null) !== null
    if (isOver && result)
      model.violations.push({ rule: "ended-session", sentence: "A session that had ended came back." })
  },
  endSessions: (model, exchange, { args: [selection] }) => {
    const { userId, id, except, provider } = Object(selection)
    if (provider !== undefined) return endByProvider(model, exchange, Object(selection))
    if (id === undefined) endFormers(model, exchange, userId)
    for (const [key, record] of model.records) {
      const isSelected = record.userId === userId && (id === undefined || key === id) && key !== except
      if (isSelected) endRecord(model, exchange, key)
    }
  },
  deleteSession: (model, exchange, { args }) => {
    const session = model.sessions.get(String(args[0]))
    if (session) session.ended ??= endedBy(exchange)
  },
}

function recordRow(model: Model, sessionToken: string, userId: string): void {
  model.sessions.set(sessionToken, { userId, parts: [], sid: null, ended: null })
}

/** A new session, which may have ended others of its user in the same step. */
function recordSession(
  model: Model,
  exchange: Exchange,
  { args: [detail, options], result, listed = [] }: Write,
): void {
  if (result !== true) return
  const id = textOf(detail, "id")
  const userId = textOf(detail, "userId")
  const { session } = Object(options)
  const isAdopted = adoptFormer(model, exchange, { args: [detail] })
  const { sessionToken } = Object(detail)
  if (session) recordRow(model, session.sessionToken, userId)
  if (!sessionToken) exchange.sid = id
  for (const [key, record] of model.records) {
    if (record.userId === userId && key !== id && !listed.includes(key)) endRecord(model, exchange, key)
  }
  if (!model.records.has(id)) {
    const { provider, providerAccountId: sub, providerSession: sid } = Object(detail)
    const origin = { provider, sub, sid }
    const provenMs = isAdopted ? 0 : whenProven(model, exchange, userId)
    const began = { begunBy: exchange, sinceMs: model.now(), provenMs }
    model.records.set(id, { userId, origin, sessionToken, ...began, endedMs: null })
  }
  // A session from before is not refused for the number of others.
  const most = isAdopted ? Number.POSITIVE_INFINITY : (model.promises.tracking?.maxPerUser ?? 0)
  // A request that gives a record to a session which ends meanwhile takes it back.
  const live = listed.filter((key) => (model.records.get(key)?.endedMs ?? null) === null)
  if (live.length <= most) return
  const sentence = `${describeUser(model, userId)} has ${live.length} sessions, and may have ${most}.`
  model.violations.push({ rule: "session-list", sentence })
}

/** An account that was added to the user who was signed in does not prove again who they are. */
function whenProven(model: Model, exchange: Exchange, userId: string): number {
  const code = model.native.codes.get(exchange.form?.get("code") ?? "")
  if (code) return Math.max(0, ...recordsOf(model, code.session).map(([, { provenMs }]) => provenMs))
  const isAdded = exchange.writes.some(({ method }) => method === "linkAccount" || method === "createAuthenticator")
  const isOwn = model.users.get(userId)?.bornIn !== exchange && liveUserOf(model, exchange) === userId
  if (!isAdded || !isOwn) return model.now()
  const former = exchange.sentSessions.flatMap((value) => recordsOf(model, value))
  return Math.max(0, ...former.map(([, { provenMs }]) => provenMs))
}

function endRecord(model: Model, exchange: Exchange, id: string): void {
  const record = model.records.get(id)
  if (!record || record.endedMs !== null) return
  record.endedMs = model.now()
  const by = endedBy(exchange)
  if (record.sessionToken === null) {
    model.revoked.set(id, { by, deadFromMs: model.now() + (model.promises.tracking?.boundMs ?? 0) })
    return
  }
  const session = model.sessions.get(record.sessionToken)
  if (session) session.ended ??= by
}

/** Everything that belongs to a user goes with them. */
function recordDeletion(model: Model, exchange: Exchange, { args: [id] }: Write): void {
  const userId = String(id)
  const user = model.users.get(userId)
  const fault = user && !user.isDeleted ? findDeletionFault(model, exchange, userId) : null
  const sentence = `${describeUser(model, userId)} was deleted: ${fault}.`
  if (fault !== null) model.violations.push({ rule: "deletion", sentence })
  if (user) user.isDeleted = true
  model.passwords.delete(userId)
  for (const [key, factor] of model.factors) if (factor.userId === userId) model.factors.delete(key)
  for (const owned of [model.accounts, model.passkeys]) {
    for (const [key, owner] of owned) if (owner === userId) owned.delete(key)
  }
  endAllOf(model, exchange, userId)
  endFormers(model, exchange, userId)
}

function endAllOf(model: Model, exchange: Exchange, userId: string): void {
  for (const [id, record] of model.records) if (record.userId === userId) endRecord(model, exchange, id)
  for (const session of model.sessions.values()) {
    if (session.userId === userId && session.sid === null) session.ended ??= endedBy(exchange)
  }
}

interface ProviderSelection {
  readonly provider: string
  readonly providerSession?: string
  readonly providerAccountId?: string
}

/** The sessions that a provider reports as ended: once for each of its tokens, and only those that it names. */
function endByProvider(model: Model, exchange: Exchange, selection: ProviderSelection): void {
  const { provider, providerSession: sid, providerAccountId: sub } = selection
  const fault = findLogoutFault(model, exchange, selection)
  if (fault !== null) model.violations.push({ rule: "logout-token", sentence: fault })
  for (const [key, { origin }] of model.records) {
    const isNamed = sid === undefined ? origin.sub === sub : origin.sid === sid
    if (origin.provider === provider && isNamed) endRecord(model, exchange, key)
  }
}

/** How long a request has a logout token for itself. */
const logoutLeaseMs = 15_000

/** Whether another request may end the sessions of the same logout token by now, since the store was slow. */
export function isLogoutLeaseOver(model: Model, { arrivedMs }: Exchange): boolean {
  return model.now() - arrivedMs >= logoutLeaseMs
}

/** Whether one of two requests that were under way at the same time saw the lease of the other as over, by its own clock. */
function seesLeaseOver(model: Model, { arrivedMs }: Exchange, { beginMs, endMs, driftMs }: ObeyedFacts): boolean {
  if (arrivedMs >= endMs) return false
  const aheadMs = Date.now() - model.now() - driftMs
  return model.now() + aheadMs - beginMs >= logoutLeaseMs || endMs - aheadMs - arrivedMs >= logoutLeaseMs
}

function findLogoutFault(model: Model, exchange: Exchange, selection: ProviderSelection): string | null {
  const token = model.logoutTokens.get(exchange.form?.get("logout_token") ?? "")
  if (!token?.isRight) return "A logout token that no provider had sent to the app ended sessions."
  if (token.obeyed && !isLogoutLeaseOver(model, exchange) && !seesLeaseOver(model, exchange, token.obeyed))
    return `A logout token of ${token.provider} was obeyed a second time.`
  const { provider, target } = token
  const isNamed =
    "sid" in target ? selection.providerSession === target.sid : selection.providerAccountId === target.sub
  return isNamed && selection.provider === provider ? null : "A logout token ended sessions that it does not name."
}

function recordUser(model: Model, exchange: Exchange, { result }: Write): void {
  const id = textOf(result, "id")
  const proof = exchange.proofs.at(-1)
  if (!proof) {
    model.violations.push({ rule: "creation", sentence: "A user was created though no one proved anything." })
    return
  }
  const { emailVerified, email } = Object(result)
  const user = createUserFacts({ id, email: String(email), owner: proof.person, bornIn: exchange })
  model.users.set(id, user)
  if (emailVerified) assertMailboxProven(model, exchange, { id, email: String(email) })
}

/** An account belongs to someone who controlled both it and the user, and who meant it. */
function recordAccount(model: Model, exchange: Exchange, { args }: Write): void {
  const [provider, subject, userId] = ["provider", "providerAccountId", "userId"].map((name) => textOf(args[0], name))
  if (provider === undefined || subject === undefined || userId === undefined) return
  if (provider === "passkey") {
    // `recordPasskey` judged it.
    model.accounts.set(`passkey ${subject}`, userId)
    isPutBack(model, exchange, `passkey ${subject}`)
    return
  }
  if (isPutBack(model, exchange, `${provider} ${subject}`)) {
    model.accounts.set(`${provider} ${subject}`, userId)
    return
  }
  const proof = exchange.proofs.find(({ kind, id }) => kind === "account" && id === `${provider} ${subject}`)
  const fault = proof ? findLinkFault(model, exchange, { proof, userId }) : "no one proved control of the account"
  model.accounts.set(`${provider} ${subject}`, userId)
  if (fault === null) return
  const account = proof ? `${proof.person.name}'s account at ${provider}` : `An account at ${provider}`
  model.violations.push({
    rule: "attachment",
    sentence: `${account} was linked to ${describeUser(model, userId)}: ${fault}.`,
  })
}

interface Attachment {
  readonly proof: Proof
  readonly userId: string
}

function findLinkFault(model: Model, exchange: Exchange, { proof, userId }: Attachment): string | null {
  const user = model.users.get(userId)
  if (user?.bornIn === exchange) return null
  const isSameMailbox = proof.verifiedEmail !== undefined && proof.verifiedEmail === user?.email
  if (!model.promises.hasVerifiedEmails && isSameMailbox) mislead(model, proof.person, userId)
  if (!mayAct(model, proof.person, userId)) return "they are not the same person"
  const state = exchange.url.searchParams.get("state") ?? ""
  const flow = model.flows.get(state)
  // Another request may have ended the session since this one arrived. Then only the address links.
  const isOverNow = exchange.sentSessions.every((value) => endOf(model, value) !== null)
  if (isOverNow && isSameMailbox) return null
  if (liveUserOf(model, exchange) === userId) return findAdditionFault(model, exchange, { flow, userId })
  const ended = exchange.sentSessions.find((value) => model.sessions.get(value)?.userId === userId)
  if (ended !== undefined) return "the session that the browser sent had ended"
  if (isSameMailbox || isLateLink(model, exchange, { proof, userId })) return null
  return "the user was not signed in, and the provider did not verify the address"
}

/** Whether the user gave the address up during the request. The service has to find that, and to take the account back. */
function isLateLink(model: Model, exchange: Exchange, { proof, userId }: Attachment): boolean {
  const { movedBy } = model.users.get(userId) ?? {}
  if (proof.verifiedEmail === undefined || movedBy == null || movedBy.ms < exchange.arrivedMs) return false
  model.area.lateLinks.set(proof.id, exchange)
  return true
}

interface Addition {
  readonly flow: FlowFacts | undefined
  readonly userId: string
}

/** Why an account is not added to the user of a session. */
function findAdditionFault(model: Model, exchange: Exchange, { flow, userId }: Addition): string | null {
  const sinceMs = exchange.arrivedMs - lastProofOf(model, exchange.browser, userId)
  if (model.promises.vetsAccounts && sinceMs > freshMs + freshMarginMs)
    return "no one had signed in with this browser for long"
  return flow ? findFlowFault(flow, exchange, userId) : null
}

/** Only who began the sign-in, as this user, meant it. */
function findFlowFault(flow: FlowFacts, exchange: Exchange, userId: string): string | null {
  if (flow.browser !== exchange.browser) return "another browser began this sign-in"
  return flow.userAtBegin === userId ? null : "this user was not signed in when the sign-in began, so no one meant it"
}

/** A passkey belongs to the user of the person whose device made it. */
function recordPasskey(model: Model, exchange: Exchange, { args }: Write): void {
  const id = textOf(args[0], "credentialID")
  const userId = textOf(args[0], "userId")
  const owner = model.passkeyOwners.get(id)
  model.passkeys.set(id, userId)
  const user = model.users.get(userId)
  const isOwn = owner !== undefined && mayAct(model, owner, userId)
  const isNew = user?.bornIn === exchange
  const isSignedIn = isNew || liveUserOf(model, exchange) === userId
  const isMeant = isNew || model.challenges.get(challengeOf(exchange)) === userId
  if (isOwn && isSignedIn && isMeant) return
  const fault = explain(isOwn, isSignedIn)
  const passkey = owner ? `${owner.name}'s passkey` : "A passkey that no device made"
  model.violations.push({
    rule: "attachment",
    sentence: `${passkey} was registered for ${describeUser(model, userId)}: ${fault}.`,
  })
}

function explain(isOwn: boolean, isSignedIn: boolean): string {
  if (!isOwn) return "they are not the same person"
  return isSignedIn
    ? "this user was not signed in when the passkey was asked for, so no one meant it"
    : "the session that the browser sent had ended"
}

/** The challenge that the device signed. */
function challengeOf({ form }: Exchange): string {
  const { response } = JSON.parse(form?.get("data") ?? "{}")
  const clientData = Buffer.from(String(response?.clientDataJSON ?? ""), "base64url").toString()
  return clientData === "" ? "" : String(JSON.parse(clientData).challenge)
}

/** An address of a user. */
interface OwnAddress {
  readonly id: string
  readonly email: string
}

function isProven(model: Model, { id, email }: OwnAddress): boolean {
  const user = model.users.get(id)
  return user?.email === email && user.isAddressProven
}

/** An address counts as verified only for someone who can read its mailbox. */
function assertMailboxProven(model: Model, exchange: Exchange, { id, email }: OwnAddress): void {
  const isProvenNow = exchange.proofs.some(
    (proof) => (proof.kind === "mailbox" ? proof.id : proof.verifiedEmail) === email,
  )
  const user = model.users.get(id)
  if (user?.email === email) user.isAddressProven = true
  if (isProvenNow) return
  model.violations.push({
    rule: "attachment",
    sentence: `The address ${email} was recorded as verified for ${describeUser(model, id)}, though no one proved it.`,
  })
}

function textOf(value: unknown, name: string): string {
  return String(Object(value)[name])
}
