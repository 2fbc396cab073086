import { findReasonOfType, tellStory } from "../../packages/core/src/diagnosis/stories.js"
import type { FailureRecord } from "../../packages/core/src/types/logger.js"
import type { RecordingLogger } from "../../packages/testkit/src/log/recorders.js"
import type { Activity } from "./activity.js"
import type { Answer, AnsweredExchange, Exchange, Proof } from "./exchange.js"
import { checkExchange } from "./exchange-rules.js"
import { findHeldProofs, noteFactors } from "./factor-rules.js"
import { endOwnFormers, isOfHalf, noteHalf } from "./half-rules.js"
import type { Instance } from "./instance.js"
import { findMailProof, mailCookiePrefix, noteMailCookies } from "./mail-rules.js"
import { isDead, isOverAtArrival, liveUserOf, type Model } from "./model.js"
import { noteNative, readToken } from "./native-rules.js"
import { findPasswordProof } from "./password-rules.js"
import { agentMark, mailDomain, type Person, secretMark } from "./people.js"
import { createRandom, mixSeeds } from "./random.js"
import type { Scheduler } from "./scheduler.js"
import { findSentSessions, readIssuedSession } from "./session-cookie.js"
import type { Tale } from "./tale.js"
import type { VisitorBrowser } from "./visitor-browser.js"
import { isLogoutLeaseOver } from "./write-rules.js"

interface ServiceParts {
  readonly seed: number
  readonly model: Model
  readonly scheduler: Scheduler
  readonly instances: readonly Instance[]
  readonly logger: RecordingLogger
  readonly tale: Tale
  /** The time of the world. */
  now(): number
}

/** The app as browsers reach it: a request travels, an instance answers, the answer travels back. */
export function createService(parts: ServiceParts): (browser: VisitorBrowser, request: Request) => Promise<Response> {
  const { seed, model, scheduler, instances, logger, tale } = parts
  let count = 0
  return async (browser, request) => {
    const activity = scheduler.running()?.activity
    if (!activity) throw new Error("A browser asks for something though no one uses it")
    const { pathname } = new URL(request.url)
    await scheduler.cut({ label: `request ${pathname}`, faults: [], instance: null })
    count += 1
    const instance = createRandom(mixSeeds(seed, activity.id, count)).pick(instances)
    const text = request.method === "GET" || request.method === "HEAD" ? null : await request.text()
    const exchange = toExchange(
      { id: count, activity, browser, instance: instance.index, arrivedMs: parts.now(), text },
      request,
      model,
    )
    const { method, headers } = request
    const copy = text === null ? request : new Request(request.url, { method, headers, body: text })
    rememberForm(exchange, request)
    rememberAsking(exchange, model)
    const logout = model.logoutTokens.get(exchange.form?.get("logout_token") ?? "")
    if (logout) logout.arrivals += 1
    model.unanswered.add(exchange)
    tale.request(exchange)
    const killed = new Promise<never>((_, reject) => instance.whenKilled(() => reject(new TypeError("fetch failed"))))
    const response = await scheduler.within({ activity, exchange }, () =>
      Promise.race([instance.answer(copy, browser.network.address), killed]),
    )
    const answer = await readAnswer(response, browser.sessionCookie)
    exchange.answer = answer
    noteAnswer(exchange, model)
    if (logout && isObeyedInTime({ ...exchange, answer }, model)) {
      const { driftMs } = instance
      logout.obeyed = { beginMs: exchange.arrivedMs, endMs: parts.now(), driftMs }
    }
    tale.answer(exchange)
    checkExchange(model, exchange)
    model.unanswered.delete(exchange)
    checkLog(exchange, logger, model)
    await scheduler.cut({ label: `answer ${pathname}`, faults: [], instance: null })
    return new Response(answer.body === "" ? null : answer.body, { status: answer.status, headers: answer.headers })
  }
}

interface Arrival {
  readonly id: number
  readonly activity: Activity
  readonly browser: VisitorBrowser
  readonly instance: number
  readonly arrivedMs: number
  /** The body. Null without one. */
  readonly text: string | null
}

function toExchange({ text, ...arrival }: Arrival, request: Request, model: Model): Exchange {
  const url = new URL(request.url)
  const { sessionCookie } = arrival.browser
  const cookies = request.headers.get("cookie") ?? ""
  const token = readToken(request)
  const sentSessions = findSessions({ sessionCookie, cookies, token }, model)
  const endedBefore = new Set(sentSessions.filter((value) => isDead(model, value)))
  const form = text === null ? null : new URLSearchParams(text)
  return {
    ...arrival,
    method: request.method,
    isUnseen: request.method === "HEAD" || request.headers.has("sec-purpose"),
    mode: request.headers.get("sec-fetch-mode") ?? "",
    isFramed: request.headers.get("sec-fetch-dest") === "iframe",
    url,
    form,
    sentSessions,
    token,
    endedBefore,
    isSourceOver: isSourceOver(form, arrival, model),
    cookies,
    factorsBefore: new Set(model.factors.keys()),
    mailCookies: findMailCookies(request),
    proofs: [
      ...findMailProof({ url, form, browser: arrival.browser }, model),
      ...findPasskeyProof(form, model),
      ...findPasswordProof({ url, form }, model),
      ...findHeldProofs(request, model),
    ],
    writes: [],
    faults: [],
    signedIn: null,
    sessionUserId: null,
    sid: null,
    newPassword: null,
    answer: null,
  }
}

/** The sessions that a request sends: that of its token alone, or those of its cookies. */
function findSessions(
  { sessionCookie, cookies, token }: Pick<VisitorBrowser, "sessionCookie"> & Pick<Exchange, "cookies" | "token">,
  model: Model,
): readonly string[] {
  const { tokens } = model.native
  const key = tokens.get(token ?? "")
  if (token !== null) return key === undefined ? [] : [key]
  const sent = findSentSessions(sessionCookie, cookies, model)
  return tokens.size === 0 ? sent : sent.filter((value) => !tokens.has(value))
}

/** Whether the session has ended for which an app got the code that it exchanges. */
function isSourceOver(form: URLSearchParams | null, { arrivedMs }: Pick<Arrival, "arrivedMs">, model: Model): boolean {
  const code = model.native.codes.get(form?.get("code") ?? "")
  if (!code) return false
  const endedBefore = new Set(isDead(model, code.session) ? [code.session] : [])
  return isOverAtArrival(model, { endedBefore, arrivedMs }, code.session)
}

/** The sealed cookies of the mails that the browser asked for. */
function findMailCookies({ headers }: Request): readonly string[] {
  const pairs = (headers.get("cookie") ?? "").split("; ")
  return pairs.filter((pair) => pair.startsWith(mailCookiePrefix))
}

/** Forms that another page made the browser send are not the person's own. */
function rememberForm({ activity, browser, url, form }: Exchange, { headers }: Request): void {
  if (form === null || activity.person !== browser.person) return
  browser.forms.push({ url: url.href, body: form, mode: headers.get("sec-fetch-mode") ?? "" })
}

/** A mail that is not sent, because there were many, leaves the same cookie as one that is. */
function rememberAsking({ browser, url, form }: Exchange, { askedMails }: Model): void {
  const [, provider] = /^[/]auth[/]signin[/](mail|code)$/.exec(url.pathname) ?? []
  const address = form?.get("email")
  if (provider === undefined || !address) return
  askedMails.set(browser, new Set([...(askedMails.get(browser) ?? []), `${provider} ${address}`]))
}

function findPasskeyProof(form: URLSearchParams | null, { assertions }: Model): readonly Proof[] {
  const assertion = form?.get("data") ?? ""
  const person: Person | undefined = assertions.get(assertion)
  return person ? [{ kind: "passkey", id: assertion, person }] : []
}

/** Whether a request has ended the sessions of its logout token before another one could begin to. */
function isObeyedInTime(exchange: AnsweredExchange, model: Model): boolean {
  const { answer, writes } = exchange
  const isObeyed = answer.status === 200 && writes.some(({ method }) => method === "endSessions")
  return isObeyed && !isLogoutLeaseOver(model, exchange)
}

async function readAnswer(response: Response, sessionCookie: string): Promise<Answer> {
  const { status, headers } = response
  const issued = readIssuedSession(sessionCookie, headers)
  return { status, headers, body: await response.text(), session: issued?.value, sessionParts: issued?.parts ?? [] }
}

/** Remembers the session and the flow that an answer starts. */
function noteAnswer(exchange: Exchange, model: Model): void {
  const { answer, url, method, browser, activity, signedIn } = exchange
  if (!answer) return
  if (isOfHalf(exchange)) {
    noteHalf({ ...exchange, answer }, model)
    return
  }
  noteMailCookies({ ...exchange, answer }, model)
  noteFactors({ ...exchange, answer }, model)
  noteNative({ ...exchange, answer }, model)
  if (signedIn) model.reached.set(`${browser.person.name} ${signedIn.provider}`, signedIn.userId)
  noteSession({ ...exchange, answer }, model)
  endOwnFormers({ ...exchange, answer }, model)
  if (url.pathname === "/auth/webauthn-options/passkey" && answer.status === 200) {
    model.challenges.set(String(JSON.parse(answer.body).options?.challenge), liveUserOf(model, exchange))
  }
  const [, provider] = /^[/]auth[/]signin[/](north|south)$/.exec(url.pathname) ?? []
  if (provider === undefined || method !== "POST") return
  const target =
    answer.headers.get("location") ?? (answer.body.startsWith("{") ? String(JSON.parse(answer.body).url) : "")
  const state = URL.parse(target)?.searchParams.get("state")
  if (!state) return
  const userAtBegin = liveUserOf(model, exchange)
  model.flows.set(state, { browser, person: activity.person, provider, userAtBegin, completedBy: [] })
}

function noteSession(exchange: AnsweredExchange, { sessions }: Model): void {
  const { answer, sid, signedIn, sessionUserId, sentSessions } = exchange
  const userId = signedIn?.userId ?? sessionUserId
  if (!answer.session || userId === null || sessions.has(answer.session)) return
  // A token from before does not say which record it has, but the one in its place does.
  const former = sentSessions.map((value) => sessions.get(value)).find((each) => each?.isFromBefore)
  const record = sid ?? (former?.userId === userId ? former.sid : null)
  sessions.set(answer.session, { userId, sid: record, parts: answer.sessionParts, ended: null })
}

/** No secret in the log, and in what is told from it nothing that a visitor typed, sent or was sent. */
function checkLog(exchange: Exchange, logger: RecordingLogger, model: Model): void {
  const failures = logger.records.filter((record) => record.outcome === "failure")
  if (logger.errors.length === 0 && failures.length === 0) return
  const { pathname } = exchange.url
  if (logger.texts().some((text) => text.includes(secretMark))) {
    model.violations.push({ rule: "secret", sentence: `The log of ${pathname} contains a secret.` })
  }
  const told = failures.flatMap((record) => [JSON.stringify(record), ...tell(record)]).join("\n")
  if ([secretMark, agentMark, mailDomain, ...listSent(exchange)].some((text) => told.includes(text))) {
    model.violations.push({ rule: "secret", sentence: `DOC-01: what is told of ${pathname} has text of a visitor.` })
  }
  logger.clear()
}

/** What `latchkey explain` and the error page of a developer tell from a record. */
function tell({ error, reason: stated, facts }: FailureRecord): readonly string[] {
  const reason = stated ?? findReasonOfType(error)
  const story = reason === null ? null : tellStory(reason, facts)
  return story === null ? [] : [...story.sentences, ...story.fixes]
}

/** Shorter values occur by chance. */
const minLength = 12

/** What a request sent in its query, its form and its cookies, except addresses of the app and words of the protocol. */
function listSent({ url, form, cookies, token }: Exchange): readonly string[] {
  const values = [...url.searchParams.values(), ...(form?.values() ?? [])]
  const sent = cookies.split("; ").map((pair) => pair.slice(pair.indexOf("=") + 1))
  const isOwn = (text: string) => /^(?:https?:|%2F|\/|[A-Za-z_]+$)/.test(text) || /^[0-9A-Z]{4}-[0-9A-Z]{2}/.test(text)
  return [...values, ...sent, token ?? ""].filter((text) => text.length >= minLength && !isOwn(text))
}
