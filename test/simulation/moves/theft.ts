import { listEnrolled } from "../factor-rules.js"
import { passwordUserId } from "../host.js"
import { endOf, hasPasskey } from "../model.js"
import { ownSessionCookies } from "../session-cookie.js"
import type { World } from "../world.js"
import { deleteUser, lookAtAccount, removeSignInMethod, stealAddress } from "./account.js"
import { putSession } from "./cookies.js"
import { keepHold, setUpApp } from "./factors.js"
import { addPasskey } from "./honest.js"
import { type Actor, type Move, NothingToDo } from "./move.js"
import { addPassword, changePassword, passwordFields } from "./passwords.js"
import { changeSessions, listSessions } from "./sessions.js"
import { ownTab } from "./tabs.js"

/** What the attacker does with stolen sessions and a stolen store, where the setting lets them have some. */
export const theftMoves: readonly Move[] = [
  { name: "steal-session", by: "attacker", weight: 4, run: stealSession },
  { name: "use-stolen-session", by: "attacker", weight: 6, run: useStolenSession },
  {
    name: "use-stolen-password",
    by: "attacker",
    weight: 5,
    isPossible: ({ setting }) => setting.isPasswordStolen,
    run: useStolenPassword,
  },
  { name: "steal-store", by: "attacker", weight: 2, run: stealStore },
  { name: "use-stolen-row", by: "attacker", weight: 4, run: useStolenRow },
]

async function stealSession(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const victim = choose.pick(world.setting.isSessionStolen ? world.victims : [])
  const { jar, sessionCookie } = world.browserOf(victim)
  const cookies = ownSessionCookies(sessionCookie, jar.list())
  if (cookies.length === 0) throw new NothingToDo("There is no session")
  actor.say(`${person.name} gets a copy of ${victim.name}'s session cookie.`)
  world.knowledge.sessions.push(cookies)
  const value = cookies.map((cookie) => decodeURIComponent(cookie.value)).join("")
  expose(world, world.model.sessions.get(value)?.userId ?? "")
}

/** From now on the attacker can act as this user. */
export function expose({ model }: World, userId: string): void {
  const user = model.users.get(userId)
  if (user) user.isExposed = true
}

/** Puts a stolen cookie into the own browser, and acts. */
async function useStolenSession(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const cookies = choose.pick(world.knowledge.sessions.slice(-3).toReversed())
  const listing = world.setting.isTracked ? ["lists the sessions", "ends the others"] : []
  const passwords = world.setting.hasPasswords ? ["changes the password", "adds a password"] : []
  const factors = world.setting.hasSecondFactors ? ["sets up a second factor"] : []
  const area = world.setting.hasAccountArea ? Object.keys(areaActs) : []
  const acts = [
    "reads the session",
    "links an account",
    "adds a passkey",
    ...listing,
    ...passwords,
    ...factors,
    ...area,
  ]
  const act = choose.pick(acts)
  actor.say(`${person.name} uses the stolen session cookie, and ${act}.`)
  putSession(world.browserOf(person), cookies)
  const tab = ownTab(actor)
  if (act === "reads the session") await tab.session()
  else if (act === "links an account") await tab.signIn("north")
  else if (act === "lists the sessions") await listSessions(tab)
  else if (act === "ends the others") await changeSessions(tab, { action: "end-others" })
  else if (act === "changes the password") await changePassword(actor, tab)
  else if (act === "adds a password") await addPassword(actor, tab)
  else if (act === "sets up a second factor") await setUpApp(actor, tab)
  else if (areaActs[act]) await areaActs[act](actor)
  else await addPasskey(actor)
}

const areaActs: Readonly<Record<string, (actor: Actor) => Promise<void>>> = {
  "changes the address": stealAddress,
  "removes an account": removeSignInMethod,
  "deletes the account": (actor) => deleteUser(actor.world, actor.person, ownTab(actor)),
  "looks at the account": lookAtAccount,
}

/** Signs in with a victim's password, which alone is enough for a user without a second factor. */
async function useStolenPassword(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const victim = choose.pick(world.victims)
  const fields = passwordFields(world, victim)
  const users = [...world.model.users.values()].filter(({ owner, isDeleted }) => owner === victim && !isDeleted)
  // The host's directory keeps the user whose address changes. A victim with both addresses may have a user for each.
  const address = fields?.["email"]
  const user = users.find(({ id, email }) => (address ? email === address : id === passwordUserId(victim)))
  if (!fields || !user) throw new NothingToDo("There is no password to know")
  actor.say(`${person.name} signs in as ${victim.name}, whose password is known.`)
  user.isPasswordKnown = true
  const isKeyAsked = world.setting.isFactorRequired && hasPasskey(world.model, user.id)
  if (!isKeyAsked && !listEnrolled(world.model).has(user.id)) expose(world, user.id)
  await ownTab(actor).signIn("password", fields)
  keepHold(actor)
}

/** Copies every row. Stored sessions are the contract's: who reads them can use them, as the threat model says. */
async function stealStore(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { model, knowledge } = world
  choose.pick(world.setting.isStoreStolen ? [true] : [])
  actor.say(`${person.name} copies the whole store.`)
  for (const [value, { userId, sid }] of model.sessions) {
    if (sid !== null || endOf(model, value) !== null) continue
    knowledge.sessions.push([{ name: world.browserOf(person).sessionCookie, value }])
    expose(world, userId)
  }
}

/** Tries what else is in the rows, such as the hashes of mailed tokens, as a token or as a session. */
async function useStolenRow(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { text, email } = choose.pick(world.knowledge.rows.slice(-8).toReversed())
  const use = choose.pick(["token of mail", "token of code", "session"])
  actor.say(`${person.name} tries a value from the stolen store as a ${use}.`)
  if (use === "session") {
    const browser = world.browserOf(person)
    putSession(browser, [{ name: browser.sessionCookie, value: encodeURIComponent(text) }])
    await ownTab(actor).session()
    return
  }
  const query = new URLSearchParams({ email: email ?? choose.pick(world.victims).email, token: text })
  await ownTab(actor).open(`/auth/callback/${use === "token of mail" ? "mail" : "code"}?${query}`)
}
