import { type Answer, type Exchange, isRefusal } from "./exchange.js"
import { mailSeconds } from "./instance.js"
import { describeUser, endOf, liveUserOf, type Model, mayAct } from "./model.js"
import { appOrigin, secretMark } from "./people.js"

/** A request that was answered. */
interface Answered extends Exchange {
  readonly answer: Answer
}

interface ExchangeRule {
  readonly rule: string
  /** Describes how the exchange broke the rule. Null if it did not. */
  readonly findFault: (model: Model, exchange: Answered) => string | null
}

/** Checks an answered request against every invariant. */
export function checkExchange(model: Model, exchange: Exchange): void {
  const { answer } = exchange
  if (answer === null) return
  for (const { rule, findFault } of exchangeRules) {
    const sentence = findFault(model, { ...exchange, answer })
    if (sentence !== null) model.violations.push({ rule, sentence })
  }
}

const exchangeRules: readonly ExchangeRule[] = [
  { rule: "session", findFault: findUnprovenSignIn },
  { rule: "session", findFault: findForeignSession },
  { rule: "ended-session", findFault: findDeadSession },
  { rule: "ended-session", findFault: findKeptSession },
  { rule: "signed-out", findFault: findLostSession },
  { rule: "ended-session", findFault: findUnrenewedSession },
  { rule: "one-time", findFault: findSecondCompletion },
  { rule: "one-time", findFault: findMisusedMail },
  { rule: "one-time", findFault: findRepeatedAssertion },
  { rule: "refusal", findFault: findChangeByRefusal },
  { rule: "redirect", findFault: findForeignRedirect },
  { rule: "secret", findFault: findSecret },
  { rule: "lockout", findFault: findLockout },
]

/** A session belongs to the person who proved control of one of its user's credentials, in the browser that gets it. */
function findUnprovenSignIn(model: Model, { signedIn, proofs, browser }: Answered): string | null {
  if (!signedIn) return null
  const { userId, provider } = signedIn
  const user = describeUser(model, userId)
  if (model.banned.has(userId)) return `${user} signed in with ${provider}, though the host bans this user.`
  const entitled = proofs.filter(({ person }) => mayAct(model, person, userId))
  if (entitled.length === 0) return `${user} signed in with ${provider}, though no one proved a credential of theirs.`
  const isOwnBrowser = entitled.some(({ person }) => person === browser.person) || mayAct(model, browser.person, userId)
  if (!isOwnBrowser && browser.uncheckedProvider === provider) {
    model.misled.set(browser.person, new Set([...(model.misled.get(browser.person) ?? []), userId]))
    return null
  }
  return isOwnBrowser ? null : `${browser.person.name}'s browser was signed in as ${user}.`
}

function findForeignSession(model: Model, { sessionUserId, browser }: Answered): string | null {
  if (sessionUserId === null || mayAct(model, browser.person, sessionUserId)) return null
  return `${browser.person.name}'s browser got the session of ${describeUser(model, sessionUserId)}.`
}

/** A session that ended is dead for every request that arrives later. */
function findDeadSession(model: Model, exchange: Answered): string | null {
  const { sessionUserId, endedBefore } = exchange
  if (sessionUserId === null || liveUserOf(model, exchange) === sessionUserId || endedBefore.size === 0) return null
  return `The session of ${describeUser(model, sessionUserId)} had ended, but was still answered.`
}

/** Signing out, and signing in again, end the session that the browser had. */
function findKeptSession(model: Model, exchange: Answered): string | null {
  const { faults, url, method, answer, sentSessions, signedIn } = exchange
  const isSignOut = method === "POST" && url.pathname === "/auth/signout" && !isRefusal(answer)
  if (faults.length > 0 || !(isSignOut || signedIn)) return null
  const kept = sentSessions.find((value) => {
    const session = model.sessions.get(value)
    // A stateless token cannot be taken back when it is replaced.
    if (!session || value === answer.session || (!isSignOut && session.sid !== null)) return false
    return endOf(model, value) === null
  })
  if (kept === undefined) return null
  const owner = describeUser(model, model.sessions.get(kept)?.userId ?? "")
  return isSignOut
    ? `${owner} signed out, but the session lives on.`
    : `${owner} signed in again, but the former session lives on.`
}

/** A stolen copy of a stored session does not reach what its owner adds to the account. */
function findUnrenewedSession(model: Model, exchange: Answered): string | null {
  const { faults, writes, signedIn, sentSessions } = exchange
  if (faults.length > 0 || !signedIn || !writes.some(({ method }) => method === "linkAccount")) return null
  const copy = sentSessions.find((value) => model.sessions.get(value)?.sid === null && endOf(model, value) === null)
  if (copy === undefined) return null
  return `An account was added to ${describeUser(model, signedIn.userId)}, but the former session lives on.`
}

/** Only the owner of a session ends it. */
function findLostSession(model: Model, exchange: Answered): string | null {
  const { activity, browser, answer, faults, url, method, sessionUserId, sentSessions, endedBefore } = exchange
  const live = sentSessions.find((value) => model.sessions.has(value) && !endedBefore.has(value))
  if (live === undefined || faults.length > 0) return null
  const owner = describeUser(model, model.sessions.get(live)?.userId ?? "")
  const isStranger = activity.person !== browser.person
  // A new session of the same user replaces the old one; `findUnprovenSignIn` judges any other.
  if (isStranger && !answer.session && (answer.session === "" || endOf(model, live) !== null))
    return `${activity.person.name} signed ${owner} out.`
  const isRead = url.pathname === "/auth/session" && method === "GET" && answer.status === 200
  if (isRead && sessionUserId === null && endOf(model, live) === null)
    return `The session of ${owner} was alive, but the service answered null.`
  return null
}

/** A sign-in at a provider is completed once. */
function findSecondCompletion(model: Model, { signedIn, url }: Answered): string | null {
  const flow = signedIn && model.flows.get(url.searchParams.get("state") ?? "")
  if (!flow) return null
  flow.completed += 1
  return flow.completed > 1 ? `One sign-in at ${flow.provider} was completed twice.` : null
}

/** A mailed link works once, in time, at the provider that sent it, and for someone who looks at the answer. */
function findMisusedMail(model: Model, { signedIn, url, isUnseen, arrivedMs }: Answered): string | null {
  const [token, address] = [url.searchParams.get("token"), url.searchParams.get("email")]
  if (!signedIn || token === null) return null
  const mail = model.mails.findLast((each) => each.token === token && (address === null || each.to === address))
  if (!mail) return null
  mail.used += 1
  if (isUnseen) return `A scanner that looks ahead spent a link of ${mail.provider}.`
  if (arrivedMs - mail.sentMs > (mailSeconds + 60) * 1000)
    return `A link of ${mail.provider} worked after it had expired.`
  if (mail.used > 1) return `One link of ${mail.provider} signed in twice.`
  const isForeign = mail.provider !== signedIn.provider
  return isForeign ? `A code that ${mail.provider} had sent was accepted by ${signedIn.provider}.` : null
}

/** The answer of a passkey works once. */
function findRepeatedAssertion(model: Model, { signedIn, form }: Answered): string | null {
  const assertion = form?.get("data")
  if (!signedIn || typeof assertion !== "string") return null
  if (model.usedAssertions.has(assertion)) return "One answer of a passkey signed in twice."
  model.usedAssertions.add(assertion)
  return null
}

const lasting: ReadonlySet<string> = new Set([
  "createUser",
  "updateUser",
  "linkAccount",
  "createSession",
  "createAuthenticator",
  "markEmailVerified",
])

/** A refused request changes nothing that lasts. */
function findChangeByRefusal(model: Model, exchange: Answered): string | null {
  const { answer, faults, writes } = exchange
  if (faults.length > 0 || !isRefusal(answer)) return null
  const changes = writes.filter(
    ({ method, args, result }) => lasting.has(method) && !isTakenBack(model, exchange, { args, result }),
  )
  if (changes.length === 0) return null
  return `The request was refused, but did ${changes.map(({ method }) => method).join(", ")} all the same.`
}

function isTakenBack(
  model: Model,
  { writes }: Answered,
  { args, result }: { readonly args: readonly unknown[]; readonly result: unknown },
): boolean {
  const { userId = Object(result).id, sessionToken, credentialID } = Object(args[0])
  const isUndone = writes.some(({ method, args: [id] }) => method === "deleteAuthenticator" && id === credentialID)
  const isEnded = sessionToken !== undefined && (model.sessions.get(sessionToken)?.ended ?? null) !== null
  return isUndone || isEnded || model.users.get(String(userId))?.isDeleted === true
}

/** No redirect leaves the app and its providers. */
function findForeignRedirect(_: Model, { answer }: Answered): string | null {
  const location =
    answer.headers.get("location") ?? (answer.body.startsWith('{"url":') ? String(JSON.parse(answer.body).url) : null)
  if (location === null) return null
  const { origin, host } = new URL(location, appOrigin)
  const isKnown = origin === appOrigin || /^(north|south)[.]test$/.test(host)
  return isKnown ? null : `The service sent the browser to ${origin}.`
}

/** No secret in a page, a header or a URL. */
function findSecret(_: Model, { answer, url }: Answered): string | null {
  if (answer.body.includes(secretMark)) return `The answer of ${url.pathname} contains a secret.`
  for (const [name, value] of answer.headers) {
    if (name !== "set-cookie" && value.includes(secretMark)) return `The header ${name} contains a secret.`
  }
  return null
}

/** Strangers use up their own budgets, never the owner's. */
function findLockout(model: Model, { answer, url, form, browser }: Answered): string | null {
  if (url.pathname !== "/auth/callback/password" || answer.status !== 429) return null
  const { person, network, isNetworkKnown, accountLimit } = browser
  const isRight =
    form?.get("username") === person.password?.username && form?.get("password") === person.password?.password
  if (person.isAttacker || !isRight) return null
  const username = person.password?.username ?? ""
  const isFromHome = isNetworkKnown && model.knownNetworks.has(`${network.address} ${username}`)
  const guesses = [...model.wrongPasswords]
    .filter(([key]) => key.endsWith(` ${username}`))
    .flatMap(([, times]) => times).length
  // A few more may be counted and on their way to the host.
  if (!isFromHome && guesses + 4 >= accountLimit) return null
  return `Guesses of strangers locked ${person.name} out, who knows the password.`
}
