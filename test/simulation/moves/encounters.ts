import { passwordUserId } from "../host.js"
import type { Person } from "../people.js"
import { ownSessionCookies } from "../session-cookie.js"
import type { VisitorTab } from "../visitor-browser.js"
import type { World } from "../world.js"
import { act, deleteUser, findOwnUser } from "./account.js"
import { putSession, restoreCookies } from "./cookies.js"
import { codeOf, factorsOf, giveSecondFactor, ownsSecret, readHold } from "./factors.js"
import { signInWith, signUpWithPasskey, waysOf } from "./honest.js"
import { type Actor, type Move, NothingToDo, together } from "./move.js"
import { choosePassword, findOwnPassword, passwordFields, send } from "./passwords.js"
import { changeSessions } from "./sessions.js"
import { type Fields, postForm, tabOf } from "./tabs.js"

/** Longer tales of sessions, passwords, second factors and addresses, whose steps rarely meet by chance. */
export const encounterMoves: readonly Move[] = [
  {
    name: "spend-twice",
    by: "anyone",
    weight: 6,
    isPossible: ({ setting, model }) => setting.hasSecondFactors && model.factors.size > 0,
    run: spendTwice,
  },
  { name: "change-while-signing-in", by: "anyone", weight: 5, isPossible: hasPasswords, run: changeMeanwhile },
  { name: "use-former", by: "anyone", weight: 6, isPossible: ({ setting }) => setting.hasHalf, run: useFormer },
  {
    name: "end-others-later",
    by: "anyone",
    weight: 3,
    isPossible: ({ setting }) => setting.isTracked,
    run: endOthersLater,
  },
  { name: "add-with-other-code", by: "anyone", weight: 3, isPossible: hasPasswords, run: addWithOtherCode },
  {
    name: "move-while-signing-in",
    by: "anyone",
    weight: 5,
    isPossible: ({ setting }) => setting.hasAccountArea,
    run: moveMeanwhile,
  },
]

const endings: Readonly<Record<string, string>> = {
  "signs out": "signs out with a copy of it",
  "ends the others": "ends the other sessions",
}

/**
 * Uses a session from before the app tracked them on another device, which the phone then goes on with: perhaps after it was
 * ended, or the account was deleted. One request at a time, because the service lets several share an adoption.
 */
async function useFormer(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { sessions } = world.model
  const own = [...sessions].find(([, each]) => each.isFromBefore && each.userId === passwordUserId(person))
  const others = world.scheduler.activities.filter(({ name, isDone }) => name === "use-former" && !isDone)
  if (!own || others.length > 1) throw new NothingToDo("There was no session, or another device uses it")
  const ending = choose.pick(["", "", ...Object.keys(endings), ...(world.setting.hasAccountArea ? ["deletes"] : [])])
  const what = ending === "" ? "" : `${endings[ending] ?? "deletes the account"}, and `
  actor.say(`${person.name} ${what}finds a session of long ago on another device.`)
  if (ending === "signs out") {
    const phone = world.phoneOf(person)
    putSession(phone, [{ name: phone.sessionCookie, value: own[0] }])
    await phone.tabs[0]?.signOut()
  } else if (ending !== "") {
    const tab = tabOf(actor)
    await signInAndProve(actor, passwordFields(world, person) ?? {}, tab)
    if (ending === "ends the others") await changeSessions(tab, { action: "end-others" })
    else await deleteUser(world, person, tab)
  }
  const device = world.scannerOf(person)
  putSession(device, [{ name: device.sessionCookie, value: own[0] }])
  await device.tabs[0]?.session()
  putSession(world.phoneOf(person), ownSessionCookies(device.sessionCookie, device.jar.list()))
}

function hasPasswords({ setting }: World): boolean {
  return setting.hasPasswords
}

/** After this time, an app shows another code. */
const nextCodeMs = 31_000

/**
 * Begins a sign-in, or one in each of two browsers, and uses something a second time: the sign-in that was completed, one that
 * has waited for long, a code for recovery, or a code of the app in both browsers at once.
 */
async function spendTwice(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const what = choose.pick(["a code for recovery", "the sign-in", "a sign-in of long ago", "the code in two browsers"])
  const [factor] = factorsOf(world, { person }).filter(({ secret }) => ownsSecret(world, person, secret))
  const owner = world.model.users.get(factor?.userId ?? "")
  const ways = waysOf(world, person).filter((way) => world.model.reached.get(`${person.name} ${way}`) === owner?.id)
  const way = choose.pick(ways.filter((each) => each !== "mail" && each !== "code" && each !== "passkey"))
  if (!factor) throw new NothingToDo("There is no app")
  const tab = choose.pick(world.browserOf(person).tabs)
  const phone = choose.pick(world.phoneOf(person).tabs)
  const [recovery] = [...world.model.recoveryCodes].filter(([, { userId }]) => userId === factor.userId)
  const give = (where: VisitorTab) => postForm(where, "second-factor/totp", { code: codeOf(factor, world) })
  actor.say(`${person.name} signs in with ${way}, and uses ${what} a second time.`)
  world.advance(nextCodeMs)
  await signInWith(actor, way, tab)
  const hold = readHold(world.browserOf(person))
  if (what === "the code in two browsers") {
    await signInWith(actor, way, phone)
    await together([give(tab), give(phone)])
  } else if (what === "a code for recovery") {
    const code = recovery?.[0] ?? ""
    await postForm(tab, "second-factor/recovery", { code })
    await signInWith(actor, way, phone)
    await postForm(phone, "second-factor/recovery", { code })
  } else {
    if (what === "the sign-in") await give(tab)
    world.advance(what === "the sign-in" ? nextCodeMs : longAgoMs)
    restoreCookies(world.browserOf(person), hold)
    await give(tab)
  }
}

const longAgoMs = 20 * 60_000

/** Chooses another password while the phone signs in: with the former one, or with an account. */
async function changeMeanwhile(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const own = findOwnPassword(world, person)
  if (!own) throw new NothingToDo("There is no password")
  const fields = { email: own.email, password: own.text }
  const phone = choose.pick(world.phoneOf(person).tabs)
  const tab = tabOf(actor)
  const isReset = choose.pick([true, false])
  const way = choose.pick(["password", "north", "a code"])
  actor.say(`${person.name} ${isReset ? "resets" : "changes"} the password while the phone signs in with ${way}.`)
  const signIn = () => (way === "north" ? phone.signIn("north") : phone.signIn("password", fields))
  if (isReset) await send(tab, "forgot", { email: own.email })
  else await signInAndProve(actor, fields, tab)
  const code = world.model.mails.findLast(({ to, purpose }) => to === own.email && purpose === "reset")?.code ?? ""
  const text = choosePassword(world, person)
  const renew = () =>
    isReset ? send(tab, "reset", { code, password: text }) : send(tab, "change", { current: own.text, password: text })
  if (way !== "a code") return together([signIn(), renew()])
  // A sign-in that waits for the second factor meanwhile.
  await signIn()
  await renew()
  await completeSignIn(world, person, phone)
}

/** Signs in on two devices, and ends the other sessions on one of them: at once, or after a while. */
async function endOthersLater(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = choose.pick(world.browserOf(person).tabs)
  const isLater = choose.pick([true, false])
  actor.say(
    `${person.name} signs in on two devices, and ends the other sessions${isLater ? " some minutes later" : ""}.`,
  )
  await signInWith(actor, "north", tab)
  await signInWith(actor, "north", choose.pick(world.phoneOf(person).tabs))
  if (isLater) world.advance(longAgoMs)
  await changeSessions(tab, { action: "end-others" })
}

/** Signs in with both factors, where a user has two. */
async function signInAndProve({ world, person }: Actor, fields: Fields, tab: VisitorTab): Promise<void> {
  await tab.signIn("password", fields)
  await completeSignIn(world, person, tab)
}

async function completeSignIn(world: World, person: Person, tab: VisitorTab): Promise<void> {
  const email = findOwnPassword(world, person)?.email
  const user = [...world.model.users.values()].find((each) => each.email === email && !each.isDeleted)
  world.advance(nextCodeMs)
  if (user) await giveSecondFactor(world, person, user.id, tab)
}

/** Asks for the code with which to add a password, and types it as another user of theirs. */
async function addWithOtherCode(actor: Actor): Promise<void> {
  const { world, person } = actor
  const tab = tabOf(actor)
  actor.say(`${person.name} asks for a code to add a password, and types it as another user.`)
  await tab.signIn("north")
  await send(tab, "change", { action: "send-code" })
  const code = world.model.mails.findLast(({ to, purpose }) => to === person.email && purpose === "add")?.code
  await tab.signOut()
  await signUpWithPasskey(actor, tab)
  await send(tab, "change", { code: code ?? "", password: choosePassword(world, person) })
}

/** Gives an address up while the phone uses it: at a provider whose accounts are linked by address, or for a new password. */
async function moveMeanwhile(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = tabOf(actor)
  const phone = choose.pick(world.phoneOf(person).tabs)
  const ways = [...waysOf(world, person).filter((way) => way === "south"), ...(hasPasswords(world) ? ["a reset"] : [])]
  const way = choose.pick(ways)
  actor.say(`${person.name} moves to another address while the phone uses the former one for ${way}.`)
  await signInWith(actor, "north", tab)
  const { email } = findOwnUser(world, person)
  if (way === "a reset") await send(phone, "forgot", { email })
  const reset = world.model.mails.findLast(({ to, purpose }) => to === email && purpose === "reset")?.code ?? ""
  const address = email === person.email ? person.otherEmail : person.email
  await act(tab, "email", { action: "send", email: address })
  const { code = "" } = world.model.mails.findLast(({ to, purpose }) => to === address && purpose === "change") ?? {}
  const use = () =>
    way === "south"
      ? phone.signIn("south")
      : send(phone, "reset", { code: reset, password: choosePassword(world, person) })
  await together([use(), act(tab, "email", { action: "confirm", code })])
}
