import { accountRules } from "./account-rules.js"
import { type AnsweredExchange, type Exchange, isLasting, isRefusal, type Write } from "./exchange.js"
import { factorRules } from "./factor-rules.js"
import { isOfHalf } from "./half-rules.js"
import { mailRules } from "./mail-rules.js"
import type { ExchangeRule, Model } from "./model.js"
import { appOrigins, nativeRules } from "./native-rules.js"
import { findLockout, passwordRules } from "./password-rules.js"
import { appOrigin, secretMark } from "./people.js"
import { sessionRules } from "./session-rules.js"
import { tokenRules } from "./token-rules.js"

/** Checks an answered request against every invariant. */
export function checkExchange(model: Model, exchange: Exchange): void {
  const { answer } = exchange
  // What the half promises is less.
  if (answer === null || isOfHalf(exchange)) return
  for (const { rule, findFault } of exchangeRules) {
    const sentence = findFault(model, { ...exchange, answer })
    if (sentence !== null) model.violations.push({ rule, sentence })
  }
}

const exchangeRules: readonly ExchangeRule[] = [
  ...sessionRules,
  ...mailRules,
  ...passwordRules,
  ...factorRules,
  ...tokenRules,
  ...accountRules,
  ...nativeRules,
  { rule: "one-time", findFault: findSecondCompletion },
  { rule: "one-time", findFault: findRepeatedAssertion },
  { rule: "refusal", findFault: findChangeByRefusal },
  { rule: "redirect", findFault: findForeignRedirect },
  { rule: "frame", findFault: findFramedPage },
  { rule: "secret", findFault: findSecret },
  { rule: "lockout", findFault: findLockout },
]

/** A sign-in at a provider is completed once. */
function findSecondCompletion(model: Model, { signedIn, url, instance }: AnsweredExchange): string | null {
  const flow = signedIn && model.flows.get(url.searchParams.get("state") ?? "")
  if (!flow) return null
  const isAgain = isUsedAgain(model, flow.completedBy, instance)
  flow.completedBy.push(instance)
  return isAgain ? `One sign-in at ${flow.provider} was completed twice.` : null
}

/** Without `consumeOnce` each process remembers only what it completed itself. */
function isUsedAgain({ promises }: Model, usedBy: readonly number[], instance: number): boolean {
  return promises.hasConsumeOnce ? usedBy.length > 0 : usedBy.includes(instance)
}

/** The answer of a passkey works once. */
function findRepeatedAssertion(model: Model, { signedIn, form, instance }: AnsweredExchange): string | null {
  const assertion = form?.get("data")
  if (!signedIn || typeof assertion !== "string") return null
  const usedBy = model.usedAssertions.get(assertion) ?? []
  model.usedAssertions.set(assertion, [...usedBy, instance])
  return isUsedAgain(model, usedBy, instance) ? "One answer of a passkey signed in twice." : null
}

/** Whether the user signed in meanwhile and removed a way: who was created stays, and the sign-in by that way is refused. */
function hasLostWay({ area }: Model, { args, result }: Pick<Write, "args" | "result">): boolean {
  const userId = Object(args[0]).userId ?? Object(result).id
  return [...area.unlinked.values()].some((facts) => facts.userId === userId)
}

/**
 * Whether the address of a proved mail was replaced during the request, by a user who came by another way. What it writes about
 * the user then changes nothing, and a user whom it created stays.
 */
function isLateMail({ users }: Model, { arrivedMs, proofs }: Exchange, result: unknown): boolean {
  const { movedBy } = users.get(String(Object(result).id)) ?? {}
  return movedBy != null && movedBy.ms >= arrivedMs && proofs.some(({ kind }) => kind === "mailbox")
}

/**
 * Whether an app was set up, or recovery codes were created, for a sign-in or a session that could not go on afterwards, such
 * as because its time was over. They are removed again.
 */
function isUndoneSetup({ writes }: AnsweredExchange, [row]: readonly unknown[]): boolean {
  const { id } = Object(row)
  return writes.some(({ method, args }) => method === "deleteFactor" && args[0] === id)
}

const userWrites: ReadonlySet<string> = new Set(["createUser", "updateUser"])

/** A refused request changes nothing that lasts. */
function findChangeByRefusal(model: Model, exchange: AnsweredExchange): string | null {
  const { answer, faults, writes, url, newPassword } = exchange
  if (faults.length > 0 || !isRefusal(answer)) return null
  // A reset is done before the host decides whether its user may sign in. Another hash of a password changes nothing.
  const isPasswordKept = url.pathname === "/auth/password/reset" || newPassword === null
  const changes = writes.filter(
    ({ method, args, result }) =>
      isLasting({ method, args, result }) &&
      !(isPasswordKept && method === "setPassword") &&
      // Two people may each have removed the way that the other one left.
      !(method === "linkAccount" && url.pathname.startsWith("/auth/account/")) &&
      !(method === "createFactor" && isUndoneSetup(exchange, args)) &&
      !hasLostWay(model, { args, result }) &&
      !(userWrites.has(method) && isLateMail(model, exchange, result)) &&
      !isTakenBack(model, exchange, { args, result }),
  )
  if (changes.length === 0) return null
  return `The request was refused, but did ${changes.map(({ method }) => method).join(", ")} all the same.`
}

function isTakenBack(
  model: Model,
  { writes }: AnsweredExchange,
  { args, result }: { readonly args: readonly unknown[]; readonly result: unknown },
): boolean {
  const { id: recordId, userId = Object(result).id, sessionToken, credentialID, ...row } = Object(args[0])
  const isUndone = writes.some(({ method, args: [id] }) => method === "deleteAuthenticator" && id === credentialID)
  const isEnded = sessionToken !== undefined && (model.sessions.get(sessionToken)?.ended ?? null) !== null
  const isRecordEnded = (model.records.get(recordId)?.endedMs ?? null) !== null
  const isRemoved = row.providerAccountId && !model.accounts.has(`${row.provider} ${row.providerAccountId}`)
  return isUndone || isRemoved || isEnded || isRecordEnded || model.users.get(String(userId))?.isDeleted === true
}

/** No redirect leaves the app and its providers. */
function findForeignRedirect(_: Model, { answer }: AnsweredExchange): string | null {
  const location =
    answer.headers.get("location") ?? (answer.body.startsWith('{"url":') ? String(JSON.parse(answer.body).url) : null)
  if (location === null) return null
  const { origin, host } = new URL(location, appOrigin)
  const isKnown = origin === appOrigin || /^(north|south)[.]test$/.test(host) || appOrigins.includes(origin)
  return isKnown ? null : `The service sent the browser to ${origin}.`
}

/** No page of another origin shows one of ours in a frame, where a visitor would press its buttons unseen. */
function findFramedPage(_: Model, { answer, isFramed, url }: AnsweredExchange): string | null {
  const isPage = answer.headers.get("content-type")?.startsWith("text/html") ?? false
  if (!isFramed || !isPage) return null
  const policy = answer.headers.get("content-security-policy") ?? ""
  // With this directive, browsers ignore the older header.
  const ancestors = /(?:^|;) *frame-ancestors ([^;]*)/.exec(policy)?.[1]?.trim()
  const isRefused =
    ancestors === undefined
      ? /^(?:deny|sameorigin)$/i.test(answer.headers.get("x-frame-options") ?? "")
      : ancestors === "'none'" || ancestors === "'self'"
  return isRefused ? null : `The page ${url.pathname} lets other origins frame it.`
}

/** No secret in a page, a header or a URL. */
function findSecret(_: Model, { answer, url }: AnsweredExchange): string | null {
  if (answer.body.includes(secretMark)) return `The answer of ${url.pathname} contains a secret.`
  for (const [name, value] of answer.headers) {
    if (name !== "set-cookie" && value.includes(secretMark)) return `The header ${name} contains a secret.`
  }
  return null
}
