import { createHmac } from "node:crypto"
import type { AnsweredExchange, Exchange, Proof, Write } from "./exchange.js"
import type { FactorFacts, HoldFacts } from "./facts.js"
import { importPath } from "./features.js"
import { describeUser, type ExchangeRule, endOf, lastProofOf, type Model, mayAct } from "./model.js"
import { rememberRightPassword } from "./password-budget.js"

/** What second factors are good for. */
export const factorRules: readonly ExchangeRule[] = [
  { rule: "second-factor", findFault: findUngatedSignIn },
  { rule: "second-factor", findFault: findMisusedHold },
  { rule: "second-factor", findFault: findCodeGuesses },
  { rule: "second-factor", findFault: findSessionOfHold },
]

/** The cookie of a sign-in that waits for a second factor. */
export const heldCookie = "__Host-authjs.held"
const stepPath = "/auth/second-factor/"
const accountPath = "/auth/account/factors"
const periodSeconds = 30

/** The code of an authenticator app, RFC 6238. @param step Number of the half minute. */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac("sha1", decodeBase32(secret)).update(counter).digest()
  const at = (mac.at(-1) ?? 0) & 0x0f
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0")
}

/** @param ms The time. */
export function stepOf(ms: number): number {
  return Math.floor(ms / 1000 / periodSeconds)
}

/** RFC 4648 section 6. */
function decodeBase32(text: string): Buffer {
  const digits = [...text].map((character) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(character))
  const bits = digits.map((digit) => digit.toString(2).padStart(5, "0")).join("")
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The proof of the first factor, which a held sign-in keeps. */
export function findHeldProofs(request: Request, { holds }: Model): readonly Proof[] {
  if (!new URL(request.url).pathname.startsWith(stepPath)) return []
  return findHold(request.headers.get("cookie") ?? "", holds)?.proofs ?? []
}

function findHold(cookies: string, holds: Model["holds"]): HoldFacts | undefined {
  const pair = cookies.split("; ").find((each) => each.startsWith(`${heldCookie}=`))
  return holds.get(pair?.slice(heldCookie.length + 1) ?? "")
}

/** Remembers the sign-ins that wait, the recovery codes that were shown, and when a person proved who they are. */
export function noteFactors(exchange: AnsweredExchange, model: Model): void {
  const { answer, proofs, browser, signedIn, writes } = exchange
  for (const header of answer.headers.getSetCookie()) {
    const [, value = ""] = new RegExp(`^${heldCookie}=([^;]*)`).exec(header) ?? []
    if (value === "") continue
    const isByPassword = exchange.url.pathname === "/auth/callback/password"
    const password = isByPassword ? (exchange.form?.get("password") ?? null) : null
    model.holds.set(value, { proofs: [...proofs], sinceMs: model.now(), password, uses: 0, wrong: 0 })
    if (isByPassword) rememberRightPassword(exchange, model)
  }
  noteEndings(exchange, model)
  const isAdded = writes.some(({ method }) => method === "linkAccount" || method === "createAuthenticator")
  if (signedIn && !(isAdded && exchange.sessionUserId !== null)) {
    model.lastProofs.set(browser, new Map([...(model.lastProofs.get(browser) ?? []), [signedIn.userId, model.now()]]))
  }
  if (!answer.body.includes('"recoveryCodes":["')) return
  const set = writes.find(({ method, args }) => method === "createFactor" && Object(args[0]).kind === "recovery")
  const { userId } = Object(set?.args[0])
  const codes: string[] = JSON.parse(answer.body).recoveryCodes
  for (const code of codes) model.recoveryCodes.set(code, { userId, owner: browser.person, uses: 0 })
}

/** Remembers when all sessions of a user ended, and with them the sign-ins that waited. */
function noteEndings({ writes, faults, arrivedMs }: AnsweredExchange, { waitsEnded, now }: Model): void {
  for (const { method, args } of writes) {
    const { userId, id, provider } = Object(args[0])
    const isAll = method === "endSessions" && id === undefined && provider === undefined
    if (isAll && faults.length === 0) waitsEnded.set(userId, { fromMs: arrivedMs, untilMs: now() })
  }
}

/** The ids of the users who had an authenticator app. */
export function listEnrolled({ factors }: Model): ReadonlySet<string> {
  return new Set([...factors.values()].filter(({ kind }) => kind === "totp").map(({ userId }) => userId))
}

/** A user with a second factor signs in with two, however they begin. */
function findUngatedSignIn(model: Model, exchange: AnsweredExchange): string | null {
  const { signedIn, factorsBefore, proofs } = exchange
  // Devices verify their owners.
  if (!signedIn || proofs.some(({ kind }) => kind === "passkey")) return null
  // With a new app in place of one that was removed meanwhile, the sign-in may have come between the two.
  const isEnrolled = [...factorsBefore].some((id) => {
    const factor = model.factors.get(id)
    return factor?.kind === "totp" && factor.userId === signedIn.userId
  })
  if (isEnrolled) return findCodeFault(model, exchange, signedIn.userId)
  const isSetUp = exchange.url.pathname === `${stepPath}enroll`
  return model.promises.demandsTwo && !isSetUp
    ? `${describeUser(model, signedIn.userId)} signed in with one factor, though everyone needs two.`
    : null
}

/** A code is right for this user, in its time, and was not accepted before. */
function findCodeFault(model: Model, { url, form, arrivedMs }: AnsweredExchange, userId: string): string | null {
  const user = describeUser(model, userId)
  const code = form?.get("code") ?? ""
  if (url.pathname === `${stepPath}recovery`) {
    const facts = model.recoveryCodes.get(code)
    if (facts?.userId !== userId) return `${user} signed in with a recovery code that is not theirs.`
    facts.uses += 1
    return facts.uses > 1 ? "One recovery code signed in twice." : null
  }
  if (url.pathname !== `${stepPath}totp`) return `${user} signed in without the second factor.`
  const own = [...model.factors.values()].filter((factor) => factor.userId === userId && factor.kind === "totp")
  const fitting = own.flatMap((factor) => {
    const step = findStep(factor, code, arrivedMs, model.now())
    return step === null ? [] : [{ factor, step }]
  })
  const fresh = fitting.find(({ factor, step }) => !factor.spentSteps.includes(step))
  fresh?.factor.spentSteps.push(fresh.step)
  if (fresh) return null
  return fitting.length > 0
    ? "One code of an authenticator app was accepted twice."
    : `${user} signed in with a code that is not from their app.`
}

/** Steps by which the clocks of the app and of an instance may differ, and one that the service allows. */
const stepsOff = 2

/** Whether a guess would be right, now or in the next minutes. */
export function isCodeOfAnyone({ factors, mails, now }: Model, code: string): boolean {
  if (mails.some((mail) => mail.code === code || mail.token === code)) return true
  return [...factors.values()].some(
    (factor) => factor.kind === "totp" && findStep(factor, code, now(), now() + guessMs) !== null,
  )
}

/** How long a guess may be under way. */
const guessMs = 5 * 60_000

/** The step whose code it is. @param untilMs A request may take minutes until its code is compared. */
function findStep({ secret }: FactorFacts, code: string, sinceMs: number, untilMs: number): number | null {
  for (let step = stepOf(untilMs) + stepsOff; step >= stepOf(sinceMs) - stepsOff; step--) {
    if (codeAt(secret, step) === code) return step
  }
  return null
}

const holdMs = 10 * 60_000
/** Clocks of two instances. */
const marginMs = 45_000

/** A sign-in that waits is completed once, in time. */
function findMisusedHold(model: Model, { url, signedIn, cookies, arrivedMs, answer }: AnsweredExchange): string | null {
  if (!signedIn || !url.pathname.startsWith(stepPath)) return null
  const hold = findHold(cookies, model.holds)
  if (!hold) return "A second factor completed a sign-in that did not wait."
  hold.uses += 1
  if (hold.uses > 1) return "One sign-in was completed twice with a second factor."
  const { fromMs = 0, untilMs = 0 } = model.waitsEnded.get(signedIn.userId) ?? {}
  if (hold.sinceMs < fromMs && untilMs < arrivedMs) return "A sign-in waited while all sessions ended, and went on."
  const { text } = model.passwords.get(signedIn.userId) ?? {}
  const isFormer = hold.password !== null && text !== undefined && text !== hold.password
  const isAlive = answer.session !== undefined && endOf(model, answer.session) === null
  if (isFormer && isAlive) return "A former password signed in, which was changed while the sign-in waited."
  return arrivedMs - hold.sinceMs > holdMs + marginMs ? "A sign-in that waited too long was completed." : null
}

const mostTries = 5

/** Few codes are compared for one sign-in. */
function findCodeGuesses(model: Model, { url, answer, cookies }: AnsweredExchange): string | null {
  const target = answer.headers.get("location") ?? ""
  const isWrong = target.includes("error=SecondFactorWrong") || answer.body.startsWith('{"error":"SecondFactorWrong"')
  const hold = url.pathname.startsWith(stepPath) && isWrong && findHold(cookies, model.holds)
  if (!hold) return null
  hold.wrong += 1
  return hold.wrong > mostTries ? `${hold.wrong} codes were tried for one sign-in, and it can be guessed on.` : null
}

/** A sign-in that waits has no session. */
function findSessionOfHold(_: Model, { answer }: AnsweredExchange): string | null {
  const isHeld = answer.headers.getSetCookie().some((header) => new RegExp(`^${heldCookie}=[^;]`).test(header))
  return isHeld && answer.session ? "A sign-in that waits for a second factor got a session." : null
}

/** A second factor belongs to the person who set it up, for a user whose session they began a short while ago. */
export function recordFactor(model: Model, exchange: Exchange, { args: [row] }: Write): void {
  const { id, userId, kind }: { id: string; userId: string; kind: string } = Object(row)
  const app = model.apps.get(exchange.form?.get("ticket") ?? "")
  const fault = findFactorFault(model, exchange, userId) ?? findImportFault(model, exchange, { userId, kind })
  if (kind === "totp") {
    const { secret = "", person } = app ?? {}
    const spent =
      app && findStep({ ...noFactor, secret }, exchange.form?.get("code") ?? "", exchange.arrivedMs, model.now())
    model.factors.set(id, { userId, kind, secret, spentSteps: spent ? [spent] : [] })
    const isOwn = person !== undefined && mayAct(model, person, userId)
    if (!isOwn) report(model, `${person?.name ?? "No one"} set up a second factor for ${describeUser(model, userId)}.`)
  } else model.factors.set(id, { ...noFactor, userId, kind })
  if (fault !== null) report(model, fault)
}

/** What a user has set up counts more than what a former system had. */
function findImportFault(
  { factors, users }: Model,
  { url, factorsBefore }: Exchange,
  { userId, kind }: Pick<FactorFacts, "userId" | "kind">,
): string | null {
  if (url.pathname !== importPath || kind !== "totp") return null
  const isThere = [...factorsBefore].some((id) => {
    const factor = factors.get(id)
    return factor?.kind === "totp" && factor.userId === userId
  })
  return isThere ? `An import gave ${users.get(userId)?.owner.name ?? "someone"} a second app beside their own.` : null
}

const noFactor: FactorFacts = { userId: "", kind: "", secret: "", spentSteps: [] }

export function removeFactor(model: Model, exchange: Exchange, { args: [id] }: Write): void {
  const factor = model.factors.get(String(id))
  model.factors.delete(String(id))
  const user = model.users.get(factor?.userId ?? "")
  if (user?.isPasswordKnown && !listEnrolled(model).has(user.id)) user.isExposed = true
  const fault = factor ? findFactorFault(model, exchange, factor.userId) : null
  if (fault !== null) report(model, fault)
}

function findFactorFault(model: Model, { url, browser, arrivedMs }: Exchange, userId: string): string | null {
  if (url.pathname !== accountPath) return null
  const provenMs = lastProofOf(model, browser, userId)
  return arrivedMs - provenMs > holdMs + marginMs
    ? `The second factors of ${describeUser(model, userId)} were changed in a browser in which no one had signed in for long.`
    : null
}

function report(model: Model, sentence: string): void {
  model.violations.push({ rule: "second-factor", sentence })
}
