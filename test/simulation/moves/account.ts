import type { MailFacts, MailPurpose, UserFacts } from "../facts.js"
import { deletionJobPath } from "../features.js"
import { ownsMailbox } from "../people.js"
import { ownSessionCookies } from "../session-cookie.js"
import type { VisitorTab } from "../visitor-browser.js"
import type { World } from "../world.js"
import { signInWith, signUpWithPasskey, waysOf } from "./honest.js"
import { newestMail, openAndPress } from "./mail.js"
import { type Actor, lags, later, type Move, NothingToDo, together } from "./move.js"
import { changeSessions } from "./sessions.js"
import { type Fields, jsonHeaders, ownTab, postForm, readJson, tabOf, victimTab } from "./tabs.js"

const isPossible = ({ setting }: World): boolean => setting.hasAccountArea

/** Whether there is a mail about a change of the address. */
const isMailed = ({ setting, model }: World): boolean =>
  setting.hasAccountArea && model.mails.some(({ provider }) => provider === "account")

/** What people do on the pages of their account, and the attacker with the mails about it. */
export const accountMoves: readonly Move[] = [
  { name: "change-address", by: "anyone", weight: 12, isPossible, run: changeAddress },
  { name: "confirm-address", by: "anyone", weight: 8, isPossible: isMailed, run: confirmAddress },
  { name: "undo-address", by: "anyone", weight: 6, isPossible: isMailed, run: undoAddress },
  { name: "remove-way", by: "anyone", weight: 7, isPossible, run: removeSignInMethod },
  { name: "leave-one-way", by: "anyone", weight: 4, isPossible, run: leaveOneWay },
  { name: "remove-way-of-phone", by: "anyone", weight: 4, isPossible, run: removeWayOfPhone },
  { name: "look-at-account", by: "anyone", weight: 4, isPossible, run: lookAtAccount },
  { name: "look-after-ending", by: "anyone", weight: 3, isPossible, run: lookAfterEnding },
  { name: "change-profile", by: "anyone", weight: 2, isPossible, run: changeProfile },
  { name: "delete-account", by: "anyone", weight: 4, isPossible, run: deleteAccount },
  {
    name: "run-deletion-job",
    by: "anyone",
    weight: 3,
    isPossible: ({ model }) => model.area.planned.size > 0,
    run: runDeletionJob,
  },
  { name: "steal-address", by: "attacker", weight: 5, isPossible, run: stealAddress },
  { name: "replay-account-mail", by: "attacker", weight: 9, isPossible: isMailed, run: replayMail },
  { name: "lure-to-confirm", by: "attacker", weight: 4, isPossible, run: lureToConfirm },
]

/** A person's user, as the session of their browser has it. */
export function findOwnUser({ model, browserOf }: World, person: Actor["person"]): UserFacts {
  const { jar, sessionCookie } = browserOf(person)
  const cookies = ownSessionCookies(sessionCookie, jar.list())
  const value = cookies.map((cookie) => decodeURIComponent(cookie.value)).join("")
  const user = model.users.get(model.sessions.get(value)?.userId ?? "")
  if (!user || user.isDeleted) throw new NothingToDo("No one is signed in")
  return user
}

/** Signs in again first, as the area asks. The newest sign-in may be a moment ago. */
async function proveAgain(actor: Actor, tab: VisitorTab): Promise<void> {
  const { world, person, choose } = actor
  const ways = waysOf(world, person).filter((each) => each !== "mail" && each !== "code")
  const way = choose.pick([...ways, ""])
  if (way !== "") await signInWith(actor, way, tab)
}

/** The form of a section, as a script sends it. */
export async function act(tab: VisitorTab, section: string, fields: Fields): Promise<Response> {
  return postForm(tab, `account/${section}`, fields)
}

/** Asks for another address, and reads the mail at once, later, or never. Some mistype it. */
async function changeAddress(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = tabOf(actor)
  const isTyped = choose.pick([false, false, false, true])
  const isReadSoon = choose.pick([true, true, false])
  actor.say(`${person.name} signs in, and asks for another address${isReadSoon ? ", which they confirm" : ""}.`)
  await proveAgain(actor, tab)
  const { email } = findOwnUser(world, person)
  const stranger = [...world.victims, world.attacker].find((each) => each !== person)
  const other = email === person.email ? person.otherEmail : person.email
  const address = isTyped && stranger ? stranger.email : other
  await act(tab, "email", { action: "send", email: address })
  if (isReadSoon && address === other) await confirmAddress(actor)
}

/** The path of a mail's link, with its secrets. */
function linkOf({ url }: MailFacts): string {
  const { pathname, search } = new URL(url)
  return `${pathname.replace("/auth/account/", "")}${search}`
}

const ofPurpose = (purpose: MailPurpose) => (mail: MailFacts) => mail.purpose === purpose

/** Types the code, or presses the button behind the link: here, on the phone, or twice at once. */
async function confirmAddress(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const mail = newestMail(actor, ofPurpose("change"))
  const way = choose.pick(["types the code", "opens the link", "opens the link on the phone"])
  const times = choose.pick([1, 1, 2])
  const tab = way.endsWith("phone") ? choose.pick(world.phoneOf(person).tabs) : tabOf(actor)
  actor.say(`${person.name} ${way} of a mail for a new address${times > 1 ? ", twice at once" : ""}.`)
  const confirm = () =>
    way === "types the code"
      ? act(tab, "email", { action: "confirm", code: mail.code ?? "" })
      : times > 1
        ? act(tab, linkOf(mail), { action: "confirm" })
        : openAndPress(tab, mail.url)
  await together(Array.from({ length: times }, confirm))
}

/** The owner of the former address did not want the change. */
async function undoAddress(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const mail = newestMail(actor, ofPurpose("undo"))
  const tab = choose.pick([tabOf(actor), ...world.phoneOf(person).tabs])
  const times = choose.pick([1, 1, 2])
  actor.say(`${person.name} undoes the change of the address${times > 1 ? ", twice at once" : ""}.`)
  const undo = () => (times > 1 ? act(tab, linkOf(mail), {}) : openAndPress(tab, mail.url))
  await together(Array.from({ length: times }, undo))
}

interface SignInMethodView {
  readonly provider: string
  readonly providerAccountId: string
  readonly canUnlink: boolean
}

/** Removes an account or a passkey: one, or two at once of which one should stay; or while a sign-in with it is under way. */
export async function removeSignInMethod(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = tabOf(actor)
  const kind = choose.pick(["one", "two at once", "the one of another sign-in", "a passkey"])
  actor.say(`${person.name} removes ${kind === "a passkey" ? kind : `${kind} of the accounts`}.`)
  await proveAgain(actor, tab)
  if (kind === "a passkey") {
    const { passkeys = [] } = Object(await readJson(tab, "/auth/account/passkeys"))
    const { id } = choose.pick(passkeys as readonly { readonly id: string }[])
    await act(tab, "passkeys", { action: "remove", id })
    return
  }
  const { methods = [] } = Object(await readJson(tab, "/auth/account/methods"))
  const own = (methods as readonly SignInMethodView[]).filter(({ canUnlink }) => canUnlink || person.isAttacker)
  const { provider, providerAccountId } = choose.pick(own.length > 0 ? own : (methods as readonly SignInMethodView[]))
  const chosen = kind === "two at once" ? own : own.filter((each) => each.providerAccountId === providerAccountId)
  const removals = chosen.map((way) => unlink(tab, way))
  const others = kind.startsWith("the one") ? [choose.pick(world.phoneOf(person).tabs).signIn(provider)] : []
  await together([...others, ...removals])
}

/** Removes an account at a provider after the phone signed in with it, or while it does. */
async function removeWayOfPhone(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const isBefore = choose.pick([true, false, false])
  const lag = choose.pick(lags)
  const tab = ownTab(actor)
  const phone = choose.pick(world.phoneOf(person).tabs)
  actor.say(
    `${person.name} removes the account at north ${isBefore ? "after" : "while"} the phone ${isBefore ? "signed in" : "signs in"} with it.`,
  )
  await signInWith(actor, "north", tab)
  const { methods = [] } = Object(await readJson(tab, "/auth/account/methods"))
  const way = choose.pick((methods as readonly SignInMethodView[]).filter(({ provider }) => provider === "north"))
  if (isBefore) await phone.signIn("north")
  await together([...(isBefore ? [] : [phone.signIn("north")]), later(lag, tab, () => unlink(tab, way))])
}

/** Signs up with a passkey, adds an account, and removes the one, the other, or both at once. */
async function leaveOneWay(actor: Actor): Promise<void> {
  const { person, choose } = actor
  const tab = tabOf(actor)
  const removed = choose.pick(["the passkey and the account", "the passkey", "the account"])
  actor.say(`${person.name} signs up with a passkey, adds an account at north, and removes ${removed}.`)
  await tab.signOut()
  await signUpWithPasskey(actor, tab)
  if (removed !== "the passkey") await tab.signIn("north")
  const { passkeys = [] } = Object(await readJson(tab, "/auth/account/passkeys"))
  const { methods = [] } = Object(await readJson(tab, "/auth/account/methods"))
  const accounts = (methods as readonly SignInMethodView[]).filter(({ provider }) => provider === "north")
  const keys = removed === "the account" ? [] : (passkeys as readonly { readonly id: string }[])
  await together([
    ...(removed === "the passkey" ? [] : accounts.map((way) => unlink(tab, way))),
    ...keys.map(({ id }) => act(tab, "passkeys", { action: "remove", id })),
  ])
}

function unlink(tab: VisitorTab, { provider, providerAccountId }: SignInMethodView): Promise<Response> {
  return act(tab, "methods", { action: "unlink", provider, id: providerAccountId })
}

export async function lookAtAccount(actor: Actor): Promise<void> {
  const { person, choose } = actor
  const section = choose.pick(["", "/email", "/methods", "/profile", "/delete", "/export"])
  const isExport = choose.pick([false, true])
  const tab = tabOf(actor)
  actor.say(`${person.name} looks at the account${isExport ? ", and downloads all data" : ""}.`)
  if (isExport) await act(tab, "export", { action: "download" })
  else await tab.fetch(`/auth/account${section}`, { headers: jsonHeaders })
}

/** Ends the session of the phone, which then opens the account. */
async function lookAfterEnding(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const section = choose.pick(["", "/email", "/methods", "/profile"])
  const phone = choose.pick(world.phoneOf(person).tabs)
  const tab = ownTab(actor)
  actor.say(`${person.name} signs in here and on the phone, ends all other sessions, and looks at the account there.`)
  await signInWith(actor, "north", phone)
  await signInWith(actor, "north", tab)
  await changeSessions(tab, { action: "end-others" })
  await phone.fetch(`/auth/account${section}`, { headers: jsonHeaders })
}

async function changeProfile(actor: Actor): Promise<void> {
  const { person } = actor
  actor.say(`${person.name} changes the name.`)
  await act(tabOf(actor), "profile", { action: "save", name: `${person.name} the second` })
}

/** Types the address as the page asks. */
export async function deleteUser(world: World, person: Actor["person"], tab: VisitorTab): Promise<void> {
  await act(tab, "delete", { action: "delete", confirm: findOwnUser(world, person).email })
}

async function deleteAccount(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = tabOf(actor)
  const after = choose.pick(["", "", "north"])
  actor.say(`${person.name} signs in, and deletes the account${after === "" ? "" : ", but signs in once more"}.`)
  await proveAgain(actor, tab)
  await deleteUser(world, person, tab)
  if (after !== "") await signInWith(actor, after, choose.pick(world.phoneOf(person).tabs))
}

/** A job of the host runs: once a day, or at any time. Another process may run it as well. */
async function runDeletionJob(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const times = choose.pick([1, 2])
  const isLater = choose.pick([true, false])
  const isPlanned = [...world.model.area.planned.keys()].some((id) => world.model.users.get(id)?.owner === person)
  const isKept = isPlanned && choose.pick([true, true, false])
  const lag = choose.pick(lags)
  actor.say(
    `The host's job deletes users${isLater ? " a day later" : ""}${times > 1 ? ", in two processes" : ""}${isKept ? `, while ${person.name} signs in` : ""}.`,
  )
  if (isLater) world.advance(dayAndAnHourMs)
  const body = new URLSearchParams()
  const run = () => world.scannerOf(person).newTab().fetch(deletionJobPath, { method: "POST", body })
  const tab = ownTab(actor)
  const runs = Array.from({ length: times }, () => (isKept ? later(lag, tab, run) : run()))
  await together(isKept ? [signInWith(actor, "north", tab), ...runs] : runs)
}

const dayAndAnHourMs = 25 * 60 * 60_000

/** Gives a user whose session the attacker has, or their own, an address of theirs; then perhaps another one. */
export async function stealAddress(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const addresses = choose.pick([
    [person.otherEmail],
    [person.otherEmail, person.email],
    [choose.pick(world.victims).email],
  ])
  const tab = ownTab(actor)
  actor.say(`${person.name} changes the address of an account to ${addresses.join(", then to ")}.`)
  for (const email of addresses) {
    await act(tab, "email", { action: "send", email })
    const isOwn = ownsMailbox(person, email)
    const mail = world.model.mails.findLast(({ to, purpose }) => isOwn && to === email && purpose === "change")
    await act(tab, "email", { action: "confirm", code: mail?.code ?? "600000" })
  }
}

/** Uses a mail again, late, for someone else, or the links of several mails mixed. */
async function replayMail(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { mails } = world.model
  const seen = mails.filter(({ provider, to, used }) => provider === "account" && (used > 0 || ownsMailbox(person, to)))
  const kind = choose.pick([
    "once more",
    "with the id of another change",
    "with the id of another change",
    "as another address",
  ])
  // The form of a link that undoes a change says nothing but which one.
  const fitting = kind.startsWith("with") ? seen.filter(({ purpose }) => purpose === "undo") : seen
  const mail = choose.pick((fitting.length > 0 ? fitting : seen).slice(-4).toReversed())
  const tab = ownTab(actor)
  actor.say(`${person.name} uses a mail about the address of an account ${kind}.`)
  const url = new URL(mail.url)
  const others = [...world.model.area.kept].filter(([, { userId }]) => userId !== mail.askedFor?.id).map(([id]) => id)
  const change = others.at(-1) ?? [...world.model.area.kept.keys()].at(-1)
  if (kind.startsWith("with") && change !== undefined) url.searchParams.set("change", change)
  if (kind.startsWith("as")) url.searchParams.set("email", choose.pick(world.victims).email)
  const form: Fields = mail.purpose === "change" ? { action: "confirm" } : {}
  await act(tab, linkOf({ ...mail, url: url.href }), form)
}

/** Asks for another address as oneself, and makes a victim press the button behind the link, or types the code there. */
async function lureToConfirm(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { tab, victim } = victimTab(actor)
  const way = choose.pick(["password", "north"])
  actor.say(
    `${person.name} makes ${victim.person.name} press the button behind a link for ${person.name}'s new address.`,
  )
  await signInWith(actor, way, ownTab(actor))
  const { email } = findOwnUser(world, person)
  await act(ownTab(actor), "email", {
    action: "send",
    email: email === person.email ? person.otherEmail : person.email,
  })
  const mails = world.model.mails.filter(({ purpose, to }) => purpose === "change" && ownsMailbox(person, to))
  const mail = choose.pick(mails.slice(-1))
  await openAndPress(tab, mail.url)
}
