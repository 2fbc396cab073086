import { createHash } from "node:crypto"
import type { AnsweredExchange, Exchange } from "./exchange.js"
import type { AppCode } from "./facts.js"
import { describeUser, type ExchangeRule, endOf, liveUserOf, type Model, mayAct, recordsOf } from "./model.js"

/** What the codes and tokens of native apps are good for. */
export const nativeRules: readonly ExchangeRule[] = [
  { rule: "native", findFault: findUnaskedCode },
  { rule: "native", findFault: findMisusedCode },
  { rule: "native", findFault: findForeignProof },
  { rule: "native", findFault: findMisusedToken },
]

/** Asks whether an app may be signed in. */
export const consentPath = "/auth/native"
export const tokenPath = "/auth/native/token"
/** The routes that take a token. */
const appRoutes: ReadonlySet<string> = new Set(["/auth/session", "/auth/signout", "/auth/account/sessions"])
const tokenPrefix = "latchkey_"

/** The native apps of the host, each with its address. */
export const nativeClients = [
  { id: "phone", name: "The phone app", redirectUris: ["https://phone.corp.test/native"] },
  { id: "desk", name: "The desk app", redirectUris: ["http://127.0.0.1/done"] },
] as const

/** The address of an app on a device. */
export const appAddresses: Readonly<Record<string, string>> = {
  phone: "https://phone.corp.test/native",
  desk: "http://127.0.0.1:4100/done",
}

export const appOrigins: readonly string[] = Object.values(appAddresses).map((address) => new URL(address).origin)

/** The token of a native app that a request has. Null where the service takes none. */
export function readToken(request: Request): string | null {
  const [, token = ""] = /^Bearer (.*)$/.exec(request.headers.get("authorization") ?? "") ?? []
  return token.startsWith(tokenPrefix) && appRoutes.has(new URL(request.url).pathname) ? token : null
}

export function toChallenge(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url")
}

/** Remembers the page that asks, the code that an app gets, and its token. */
export function noteNative(exchange: AnsweredExchange, model: Model): void {
  const { pathname } = exchange.url
  if (pathname === consentPath) noteConsent(exchange, model)
  else if (pathname === tokenPath && exchange.answer.status === 200) noteToken(exchange, model)
  else if (exchange.token !== null) noteRenewal(exchange, exchange.token, model)
}

function noteConsent(exchange: AnsweredExchange, model: Model): void {
  const { url, method, answer, browser, form, sentSessions } = exchange
  const { questions, codes } = model.native
  const userId = liveUserOf(model, exchange)
  const [, ticket] = /name="ticket" value="([^"]+)"/.exec(answer.body) ?? []
  if (method === "GET" && ticket !== undefined) questions.set(ticket, { userId, browser, asked: url.searchParams })
  const code = readCode(exchange)
  const question = questions.get(form?.get("ticket") ?? "")
  const session = sentSessions.find((value) => model.sessions.get(value)?.userId === userId)
  if (code === null || !question || userId === null || session === undefined) return
  codes.set(code, { userId, session, asked: question.asked, sinceMs: model.now(), uses: 0 })
}

function noteToken(exchange: AnsweredExchange, model: Model): void {
  const token: string = JSON.parse(exchange.answer.body).access_token
  const code = model.native.codes.get(exchange.form?.get("code") ?? "")
  if (code) model.native.tokens.set(token, keepSession(model, exchange, { token, code }))
}

function noteRenewal({ answer }: AnsweredExchange, token: string, model: Model): void {
  const { tokens } = model.native
  const renewed = answer.headers.get("latchkey-token")
  const key = tokens.get(token)
  const facts = model.sessions.get(key ?? "")
  if (renewed === null || key === undefined || !facts) return
  if (facts.sid !== null) model.sessions.set(renewed, { ...facts })
  tokens.set(renewed, facts.sid === null ? key : renewed)
}

/** The value under which the model has the session of an app: the token of its row, or that of the app. */
function keepSession(
  model: Model,
  { writes, sid }: Exchange,
  { token, code }: { readonly token: string; readonly code: AppCode },
): string {
  for (const { method, args, result } of writes.toReversed()) {
    const row = method === "createSession" ? Object(result) : Object(Object(args[1]).session)
    if (method.startsWith("createSession") && typeof row.sessionToken === "string") return row.sessionToken
  }
  // The browser's session was read after the record of this one was written.
  const [record] = writes.findLast(({ method }) => method === "createSessionDetail")?.args ?? []
  const id: string | null = Object(record).id ?? sid
  model.sessions.set(token, { userId: code.userId, sid: id, parts: [], ended: null })
  return token
}

/** The code in the address to which the page that asks sends the browser. */
function readCode({ url, answer }: AnsweredExchange): string | null {
  const target = answer.headers.get("location") ?? (answer.body.startsWith('{"url"') ? JSON.parse(answer.body).url : "")
  return url.pathname === consentPath ? (URL.parse(target)?.searchParams.get("code") ?? null) : null
}

/** A code is for the person who was asked and pressed the button, and goes to the app that began it. */
function findUnaskedCode(model: Model, exchange: AnsweredExchange): string | null {
  const { activity, browser, form, mode, answer, method } = exchange
  if (readCode(exchange) === null) return null
  const question = model.native.questions.get(form?.get("ticket") ?? "")
  const userId = liveUserOf(model, exchange)
  const user = userId === null ? "no one" : describeUser(model, userId)
  if (!question || method !== "POST") return `An app got a code for ${user}, who was not asked.`
  if (activity.person !== browser.person)
    return `A page of another site answered for ${user} that an app may be signed in.`
  if (mode !== "navigate") return "A script got the code of a native app."
  if (question.userId !== userId) return `An app got a code for ${user}, but someone else was asked.`
  const target = new URL(answer.headers.get("location") ?? "")
  const isOwn = `${target.origin}${target.pathname}` === question.asked.get("redirect_uri")
  const isState = target.searchParams.get("state") === question.asked.get("state")
  return isOwn && isState ? null : "The code of an app went to another address, or with another state."
}

const codeMs = 60_000
/** Clocks of two instances. */
const marginMs = 60_000

/** A code is spent once and in time, by the app that began it, while the session lives that it stands for. */
function findMisusedCode(model: Model, exchange: AnsweredExchange): string | null {
  const { url, form, answer, arrivedMs, browser, isSourceOver } = exchange
  if (url.pathname !== tokenPath || answer.status !== 200) return null
  const code = model.native.codes.get(form?.get("code") ?? "")
  if (!code) return "An app got a token for a code that no one had got."
  const user = describeUser(model, code.userId)
  code.uses += 1
  if (code.uses > 1) return "One code of a native app was exchanged twice."
  if (arrivedMs - code.sinceMs > codeMs + marginMs) return "A code of a native app was exchanged after it had expired."
  if (form?.get("client_id") !== code.asked.get("client_id")) return "Another app exchanged a code."
  if (form?.get("redirect_uri") !== code.asked.get("redirect_uri")) return "A code was exchanged with another address."
  if (toChallenge(form?.get("code_verifier") ?? "") !== code.asked.get("code_challenge"))
    return "A code was exchanged with another verifier."
  if (!mayAct(model, browser.person, code.userId)) return `${browser.person.name}'s app was signed in as ${user}.`
  if (isSourceOver) return `An app was signed in as ${user}, whose session had ended.`
  return findLateCopy(model, exchange, code)
}

/** The session of an app counts as begun by the sign-in of the browser, and as long ago. */
function findForeignProof(model: Model, { url, form, writes }: AnsweredExchange): string | null {
  const code = url.pathname === tokenPath ? model.native.codes.get(form?.get("code") ?? "") : undefined
  const [source] = recordsOf(model, code?.session ?? "")
  const detail = writes.find(({ method, result }) => method === "createSessionDetail" && result === true)?.args[0]
  // A session that ends meanwhile takes the record of its sign-in with it.
  if (!source || !detail || source[1].endedMs !== null) return null
  const { provider, providerAccountId, createdAt } = Object(detail)
  const { origin, sinceMs } = source[1]
  if (provider !== origin.provider || providerAccountId !== origin.sub)
    return "The session of an app names another sign-in."
  return createdAt.valueOf() - sinceMs > marginMs ? "The session of an app counts as a new sign-in." : null
}

/** A session that ends before the app's own began takes it along. */
function findLateCopy(model: Model, { answer }: AnsweredExchange, { session, userId }: AppCode): string | null {
  const key = model.native.tokens.get(JSON.parse(answer.body).access_token) ?? ""
  const [source] = recordsOf(model, session)
  const [copy] = recordsOf(model, key)
  if (!source || !copy || endOf(model, key) !== null) return null
  const endedMs = source[1].endedMs
  const isLate = endedMs !== null && endedMs <= copy[1].sinceMs
  return isLate ? `An app was signed in as ${describeUser(model, userId)}, whose session ended meanwhile.` : null
}

/** A token is that of its app alone: cookies beside it count for nothing, no cookie is a token, and no token is a cookie. */
function findMisusedToken(model: Model, exchange: AnsweredExchange): string | null {
  const { token, sessionUserId, answer, cookies, sentSessions } = exchange
  const { tokens } = model.native
  if (token !== null) {
    const userId = model.sessions.get(tokens.get(token) ?? "")?.userId ?? null
    if (sessionUserId !== null && sessionUserId !== userId) return "The token of a request did not decide whose it is."
    return answer.headers.getSetCookie().length > 0 ? "A native app got cookies." : null
  }
  if (sessionUserId === null || sentSessions.some((value) => model.sessions.has(value))) return null
  const isCookie = [...tokens.keys()].some((each) => cookies.includes(each))
  return isCookie ? "The token of a native app worked as a cookie." : null
}
