import {
  areaPath,
  changePath,
  deletePath,
  exportPath,
  findActFault,
  findUndoMail,
  isReserved,
  marginMs,
  methodPaths,
  undoMs,
  undoPath,
} from "./account-writes.js"
import { type AnsweredExchange, hasDone, isRefusal } from "./exchange.js"
import { describeUser, type ExchangeRule, isOverAtArrival, type Model, mayAct, recordsOf } from "./model.js"

/** What the pages are good for on which users manage their own account. */
export const accountRules: readonly ExchangeRule[] = [
  { rule: "account", findFault: findVisitByEnded },
  { rule: "account", findFault: findUnprovenAct },
  { rule: "account", findFault: findChangeByOpening },
  { rule: "account", findFault: findKeptSession },
  { rule: "account", findFault: findFailedUndo },
  { rule: "deletion", findFault: findKeptPlan },
  { rule: "creation", findFault: findReservedCreation },
  { rule: "attachment", findFault: findLateLink },
]

/** The pages that show what is kept about a user. */
const shown: ReadonlySet<string> = new Set([
  areaPath,
  changePath,
  deletePath,
  exportPath,
  `${areaPath}/profile`,
  ...methodPaths,
])

/** The store is asked for a session that opens the area, so an ended one sees nothing at once. */
function findVisitByEnded(model: Model, exchange: AnsweredExchange): string | null {
  const { url, answer, sentSessions, browser, token } = exchange
  const body = answer.body.startsWith("{") ? JSON.parse(answer.body) : {}
  if (!shown.has(url.pathname) || answer.status !== 200 || body.error !== undefined) return null
  if (token !== null) return "A native app got a page of the account area."
  const isOver = (value: string) => !model.sessions.has(value) || isOverAtArrival(model, exchange, value)
  if (sentSessions.every(isOver)) return "A session that had ended, or none, got a page of the account area."
  const { id } = Object(body.user)
  return id === undefined || mayAct(model, browser.person, id)
    ? null
    : `${browser.person.name} saw the account of someone else.`
}

/** A mail for another address, and a copy of all data, need a recent proof. */
function findUnprovenAct(model: Model, exchange: AnsweredExchange): string | null {
  const { url, form, method, answer, sentSessions } = exchange
  const isMail = url.pathname === changePath && form?.get("action") === "send"
  const isExport = url.pathname === exportPath && answer.headers.has("content-disposition")
  if (method !== "POST" || isRefusal(answer) || answer.status !== 200 || !(isMail || isExport)) return null
  const users = sentSessions.flatMap((value) => model.sessions.get(value)?.userId ?? [])
  const userId = isExport ? String(JSON.parse(answer.body).user?.id) : (users[0] ?? "")
  const fault = isMail && users.length > 1 ? null : findActFault(model, exchange, { userId })
  return fault === null ? null : `${isMail ? "A mail for a new address was sent" : "All data was given out"}: ${fault}.`
}

const areaWrites: ReadonlySet<string> = new Set([
  "replaceEmail",
  "createAccountChange",
  "deleteAccountChange",
  "unlinkAccount",
  "deleteUser",
  "endSessions",
])

/** Scanners open links: a GET changes nothing. */
function findChangeByOpening(_: Model, { method, url, writes }: AnsweredExchange): string | null {
  if (method === "POST" || !url.pathname.startsWith(areaPath)) return null
  const change = writes.find((write) => areaWrites.has(write.method) && write.result)
  return change ? `A ${method} of ${url.pathname} did ${change.method}.` : null
}

/** A new address, an undo and a deletion end the sessions from before, except the one that changes the address. */
function findKeptSession(model: Model, exchange: AnsweredExchange): string | null {
  const { url, method, answer, faults, writes, arrivedMs, sentSessions } = exchange
  const write = writes.find(({ method: name }) => keyWrites.has(name))
  const isDone = method === "POST" && hasDone(answer) && faults.length === 0 && write?.result !== false
  if (!isDone || write === undefined || !url.pathname.startsWith(areaPath)) return null
  const { userId } = write.method === "deleteUser" ? { userId: write.args[0] } : Object(write.args[0])
  const own = sentSessions.flatMap((value) => recordsOf(model, value).map(([id]) => id))
  const isSpared = (id: string) => url.pathname === changePath && own.includes(id)
  const kept = [...model.records].find(
    ([id, record]) =>
      record.userId === userId && record.endedMs === null && record.sinceMs < arrivedMs && !isSpared(id),
  )
  return kept ? `After ${url.pathname}, a former session of ${describeUser(model, userId)} lives on.` : null
}

const keyWrites: ReadonlySet<string> = new Set(["replaceEmail", "createAccountChange", "deleteUser"])

/** The link restores the address, and makes the password worthless, which the thief may know. */
function findFailedUndo(model: Model, exchange: AnsweredExchange): string | null {
  const { url, method, faults, writes, arrivedMs, answer } = exchange
  if (url.pathname !== undoPath || method !== "POST" || faults.length > 0 || !hasDone(answer)) return null
  const kept = model.area.kept.get(url.searchParams.get("change") ?? "") ?? null
  const done = writes.some(({ method: name, result }) => name === "replaceEmail" && result === true)
  if (done) return findKeptPassword(model, exchange)
  const mail = findUndoMail(model, exchange)
  if (kept === null || mail?.askedFor?.id !== kept.userId) return null
  const user = model.users.get(kept.userId)
  const isLive = kept.sinceMs < arrivedMs && arrivedMs - kept.sinceMs < undoMs - marginMs
  if (!isLive || !user || user.isDeleted || user.email === kept.email) return null
  return `The link that restores ${kept.email} did not restore it.`
}

function findKeptPassword(model: Model, { writes }: AnsweredExchange): string | null {
  const { userId } = Object(writes.find(({ method }) => method === "replaceEmail")?.args[0])
  const isVoid = writes.some(({ method, result }) => method === "setPassword" && result === true)
  if (!model.passwords.has(userId) || isVoid || model.users.get(userId)?.isDeleted) return null
  return `The address of ${describeUser(model, userId)} was restored, but the password still works.`
}

/** A sign-in keeps the account. */
function findKeptPlan(model: Model, { signedIn, answer, faults, arrivedMs }: AnsweredExchange): string | null {
  const plan = model.area.planned.get(signedIn?.userId ?? "")
  if (!signedIn || !answer.session || faults.length > 0 || !plan || plan.sinceMs >= arrivedMs) return null
  return `${describeUser(model, signedIn.userId)} signed in, but will be deleted all the same.`
}

/** No new user keeps an address that another one can have restored. */
function findReservedCreation(model: Model, { writes, arrivedMs, faults }: AnsweredExchange): string | null {
  if (faults.length > 0) return null
  const users = writes
    .filter(({ method }) => method === "createUser")
    .map(({ result }) => model.users.get(String(Object(result).id)))
  // The time of the former address may have ended while the store was slow.
  const times = [arrivedMs, model.now()]
  const taken = users.find(
    (user) =>
      user &&
      !user.isDeleted &&
      times.every((timeMs) => isReserved(model, { email: user.email, userId: user.id, arrivedMs: timeMs })),
  )
  return taken ? `A user was created with ${taken.email}, which another one can have restored.` : null
}

/** An account that was linked by an address is taken back if its user gave that address up meanwhile. */
function findLateLink({ area, accounts }: Model, { id, faults }: AnsweredExchange): string | null {
  const late = [...area.lateLinks].find(([key, exchange]) => exchange.id === id && accounts.has(key))
  return late && faults.length === 0 ? "An account was linked by an address that its user had given up." : null
}
