import { type AnsweredExchange, type Exchange, isLasting, isRefusal, type Proof, type Write } from "./exchange.js"
import type { MailFacts } from "./facts.js"
import { mailSeconds } from "./host.js"
import type { ExchangeRule, Model } from "./model.js"
import { accountLimit, mostParallel } from "./password-budget.js"
import { beginning, dayMs, ownsMailbox } from "./people.js"

/** What a mailed link or code is good for. */
export const mailRules: readonly ExchangeRule[] = [
  { rule: "one-time", findFault: findMisusedMail },
  { rule: "one-time", findFault: findChangeByScanner },
  { rule: "one-time", findFault: findChangeByStranger },
  { rule: "one-time", findFault: findForeignCode },
  { rule: "one-time", findFault: findReplacedCode },
  { rule: "budget", findFault: findGuesses },
  { rule: "budget", findFault: findCodeGuesses },
  { rule: "budget", findFault: findEarlyResending },
  { rule: "page", findFault: findMailOfPage },
  { rule: "page", findFault: findUnnamedPage },
]

/** A mailed link or code shows that its sender can read the mailbox. */
export function findMailProof(request: MailRequest, model: Model): readonly Proof[] {
  const mail = findMail(request, model)
  return mail?.owner ? [{ kind: "mailbox", id: mail.to, person: mail.owner }] : []
}

type MailRequest = Pick<Exchange, "url" | "form" | "browser">

/** The mail whose link a request opens, or whose code it types. */
export function findMail({ url, form, browser }: MailRequest, { mails }: Model): MailFacts | undefined {
  const typed = readCode({ url, form })
  if (typed !== null) {
    const fitting = mails.filter(({ code }) => code === typed)
    return fitting.findLast((each) => each.browser === browser) ?? fitting.at(-1)
  }
  const read = (name: string) => form?.get(name) ?? url.searchParams.get(name)
  const [token, address] = [read("token"), read("email")]
  if (!token) return undefined
  return mails.findLast((each) => each.token === token && (address === null || each.to === address))
}

/** The digits of a mail that a form sends. Null without any. */
function readCode({ url, form }: Pick<Exchange, "url" | "form">): string | null {
  // Second factors have codes, too.
  const isMailed = /^[/]auth[/](?:callback[/]|password[/]|account[/]email$)/.test(url.pathname)
  return (isMailed && form?.get("code")?.replaceAll(" ", "")) || null
}

/** Begins the names of the cookies that keep the mails which a browser asked for. */
export const mailCookiePrefix = "__Host-authjs.mail."

/** How long a mailed code can be typed. */
const codeSeconds = 600
/** Two instances may tell whether a code has expired, each with its clock off by as much as is possible. */
const driftSeconds = 60

/** Remembers which mail a cookie is for. A mail that is sent again takes the cookie of the former one. */
export function noteMailCookies({ id, answer, mailCookies }: AnsweredExchange, model: Model): void {
  const sent = model.mails.findLast(({ exchangeId }) => exchangeId === id)
  for (const header of answer.headers.getSetCookie()) {
    const [cookie = ""] = header.split(";", 1)
    const [name = "", value = ""] = cookie.split("=", 2)
    if (!name.startsWith(mailCookiePrefix) || value === "") continue
    const formerCookie = mailCookies.find((each) => each.startsWith(`${name}=`)) ?? ""
    const former = model.mailCookies.get(formerCookie)
    const mail = sent ?? former
    if (mail) model.mailCookies.set(cookie, mail)
    const isTypable = former !== undefined && model.now() - former.sentMs < (codeSeconds - driftSeconds) * 1000
    if (sent && isTypable) former.replacedMs ??= model.now()
  }
}

/** A mailed link works once, in time, at the provider that sent it, and for someone who looks at the answer. */
function findMisusedMail(model: Model, exchange: AnsweredExchange): string | null {
  const { signedIn, isUnseen, arrivedMs } = exchange
  const mail = signedIn && findMail(exchange, model)
  if (!mail) return null
  mail.used += 1
  if (isUnseen) return `A scanner that looks ahead spent a link of ${mail.provider}.`
  if (arrivedMs - mail.sentMs > (mailSeconds + 60) * 1000)
    return `A link of ${mail.provider} worked after it had expired.`
  if (mail.used > 1) return `One link of ${mail.provider} signed in twice.`
  const isForeign = mail.provider !== signedIn.provider
  return isForeign ? `A code that ${mail.provider} had sent was accepted by ${signedIn.provider}.` : null
}

/** A HEAD request or a prefetch, whose response no one sees, neither spends a link nor creates anything. */
function findChangeByScanner(_: Model, { isUnseen, writes }: AnsweredExchange): string | null {
  if (!isUnseen) return null
  const change = writes.find(isChange)
  return change ? `A scanner that looks ahead did ${change.method}.` : null
}

/** Whether a write created something or spent a token: a record of a session that ended meanwhile is not created. */
function isChange(write: Write): boolean {
  if (write.method === "useVerificationToken") return write.result !== null
  return isLasting(write)
}

/**
 * A GET spends a link in a browser that asked for a mail to its address, and nowhere else. Nor does it create anything. Where
 * links only show a code, neither does a form, unless it has the code.
 */
function findChangeByStranger({ askedMails, promises }: Model, exchange: AnsweredExchange): string | null {
  const { method, url, form, browser, writes } = exchange
  const isUseful = method === "POST" && (!promises.isLinkClosed || readCode(exchange) !== null)
  if (isUseful || url.pathname !== "/auth/callback/mail") return null
  const address = form?.get("email") ?? url.searchParams.get("email")
  if (askedMails.get(browser)?.has(`mail ${address}`)) return null
  const change = writes.find(isChange)
  return change ? `A ${method} of a browser that had not asked for a mail did ${change.method}.` : null
}

/** A code works in the browser that asked for its mail. */
function findForeignCode(model: Model, exchange: AnsweredExchange): string | null {
  const { signedIn, form, browser, url } = exchange
  if (!signedIn || readCode({ url, form }) === null) return null
  const mail = findMail(exchange, model)
  if (!mail) return "A code signed in that no mail had."
  return mail.browser === browser ? null : "A code worked in a browser that had not asked for it."
}

/** Wrong codes of one mail that are told from right ones: with the fifth, its code is spent. */
const mostWrongCodes = 4

/** Whether the service tells that a code is not the right one, so that another may be tried. */
function isCodeWrong({ headers, body }: AnsweredExchange["answer"]): boolean {
  const target = headers.get("location") ?? (body.startsWith('{"url"') ? body : "")
  const isWrong = body.startsWith('{"error":"CodeWrong"') || body.startsWith('{"error":"ChangeRefused","code":"code"')
  return target.includes("error=CodeWrong") || isWrong
}

/**
 * Sending a mail again voids the former code, also for those who kept its cookie: two codes would be twice as easy to guess.
 * Without `consumeOnce`, each process knows only what it sent itself.
 */
function findReplacedCode(model: Model, exchange: AnsweredExchange): string | null {
  const { mailCookies, signedIn, answer, arrivedMs } = exchange
  if (readCode(exchange) === null || mailCookies.length === 0 || !model.promises.hasConsumeOnce) return null
  const replacedMs = mailCookies.map((cookie) => model.mailCookies.get(cookie)?.replacedMs ?? Number.POSITIVE_INFINITY)
  if (replacedMs.some((each) => each >= arrivedMs)) return null
  if (signedIn) return "A code signed in though its mail had been sent again."
  return isCodeWrong(answer) ? "A code can be guessed though its mail was sent again." : null
}

/** At one address, the same cookies and the same choice of a flow are the same mail. */
function findCodeGuesses(model: Model, { url, form, mailCookies, answer }: AnsweredExchange): string | null {
  // Without `consumeOnce`, each process counts what it was asked itself.
  if (readCode({ url, form }) === null || !isCodeWrong(answer) || !model.promises.hasConsumeOnce) return null
  const key = [url.pathname, form?.get("flow") ?? "", ...mailCookies.toSorted()].join(" ")
  const count = (model.wrongGuesses.get(key) ?? 0) + 1
  model.wrongGuesses.set(key, count)
  return count > mostWrongCodes ? `${count} wrong codes were tried for one mail, and it can be guessed on.` : null
}

/** How long the service waits at least before it sends a mail once more. */
const pauseMs = 20_000

/**
 * A mail is sent again once in a while, whichever browser asks. Each request remembers the time, by the clock of its instance,
 * until which what it noted in the store lasts.
 */
function findEarlyResending(model: Model, { id, form, arrivedMs, writes }: AnsweredExchange): string | null {
  const mail = form?.has("again") && model.mails.findLast(({ exchangeId }) => exchangeId === id)
  const noted = writes.filter(({ method }) => method === "consumeOnce").map(({ args }) => Number(args[1]))
  // Without `consumeOnce`, each process knows only what it sent itself.
  if (!mail || noted.length === 0 || !model.promises.hasConsumeOnce) return null
  const key = `${mail.provider} ${mail.purpose} ${mail.to}`
  const former = model.resendings.get(key)
  const [firstMs, lastMs] = [Math.min(...noted), Math.max(...noted)]
  model.resendings.set(key, { firstMs, lastMs, endMs: model.now() })
  if (!former || former.endMs > arrivedMs || firstMs < former.lastMs) return null
  return lastMs - former.firstMs < pauseMs ? `A mail of ${mail.provider} was sent again twice at once.` : null
}

/** Loading a page sends no mail, so that it can be loaded again after its form was sent. */
function findMailOfPage({ mails }: Model, { id, method, url }: AnsweredExchange): string | null {
  const isPage = method === "GET" && /^[/]auth[/](?:password|account|signin|verify-request)/.test(url.pathname)
  return isPage && mails.at(-1)?.exchangeId === id ? `Loading ${url.pathname} sent a mail.` : null
}

/** A person who opens a link in another browser reads whose it is before they press the button. */
function findUnnamedPage(_: Model, { answer, url, method, isUnseen }: AnsweredExchange): string | null {
  const address = url.searchParams.get("email")
  const isPage = answer.headers.get("content-type")?.startsWith("text/html") ?? false
  if (url.pathname !== "/auth/callback/mail" || method !== "GET" || isUnseen || isRefusal(answer)) return null
  if (!isPage || answer.status !== 200 || !answer.body.includes("<form") || !address?.includes("@")) return null
  const [local = "", domain = ""] = address.split("@")
  const isNamed = answer.body.includes(`${local.slice(0, 1)}\u2022\u2022\u2022@${domain}`)
  return isNamed ? null : "The page of a link does not name its address."
}

const codeLength = 6

/** Few wrong codes for one address reach the store, however many networks they come from. */
function findGuesses(model: Model, { url, browser, writes, signedIn }: AnsweredExchange): string | null {
  const [token, address] = [url.searchParams.get("token") ?? "", url.searchParams.get("email")]
  const isTried = writes.some(({ method }) => method === "useVerificationToken")
  const isGuess = url.pathname === "/auth/callback/code" && isTried && !signedIn && token.length === codeLength
  if (!isGuess || address === null || ownsMailbox(browser.person, address)) return null
  const count = (model.wrongCodes.get(address) ?? 0) + 1
  model.wrongCodes.set(address, count)
  // One window more than the days that the run has taken.
  const days = Math.ceil((model.now() - beginning) / dayMs) + 1
  return count > days * accountLimit + mostParallel ? `${count} wrong codes for ${address} reached the store.` : null
}
