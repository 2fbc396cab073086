import type { MailFacts, PasswordFacts, PasswordPurpose } from "../facts.js"
import { ownsMailbox, type Person, secretMark } from "../people.js"
import type { VisitorTab } from "../visitor-browser.js"
import type { World } from "../world.js"
import { newestMail } from "./mail.js"
import { type Actor, type Move, NothingToDo, together, wrongCode } from "./move.js"
import { type Fields, ownTab, postForm, tabOf } from "./tabs.js"

const isPossible = ({ setting }: World): boolean => setting.hasPasswords

/** What people and the attacker do with the built-in passwords. */
export const passwordMoves: readonly Move[] = [
  { name: "sign-up", by: "anyone", weight: 5, isPossible, run: signUp },
  { name: "forget-password", by: "anyone", weight: 5, isPossible, run: forget },
  { name: "use-password-mail", by: "anyone", weight: 12, isPossible, run: useMail },
  { name: "change-password", by: "anyone", weight: 5, isPossible, run: change },
  { name: "add-password", by: "anyone", weight: 3, isPossible, run: add },
  { name: "sign-up-as-victim", by: "attacker", weight: 4, isPossible, run: signUpAsVictim },
  { name: "forget-for-victim", by: "attacker", weight: 2, isPossible, run: forgetForVictim },
  { name: "replay-reset", by: "attacker", weight: 5, isPossible, run: replayReset },
  { name: "bend-password-mail", by: "attacker", weight: 5, isPossible, run: bendMail },
  { name: "guess-password-code", by: "attacker", weight: 3, isPossible, run: guessCode },
  { name: "try-former-password", by: "attacker", weight: 4, isPossible, run: tryFormer },
]

/** A person's password that works now. Null without one. */
export function findOwnPassword({ model }: World, person: Person): PasswordFacts | null {
  const own = [...model.passwords.values()].filter(({ email }) => ownsMailbox(person, email))
  return own.find(({ text }) => model.chosenPasswords.get(text) === person) ?? null
}

/** What a person types to sign in with a password. Null without one. */
export function passwordFields(world: World, person: Person): Readonly<Record<string, string>> | null {
  if (!world.setting.hasPasswords) return person.password && { ...person.password }
  const own = findOwnPassword(world, person)
  return own && { email: own.email, password: own.text }
}

/** A password that no one has chosen before. */
export function choosePassword({ model }: World, person: Person): string {
  const text = `${secretMark}-${person.name}-chose-this-${model.chosenPasswords.size}`
  model.chosenPasswords.set(text, person)
  return text
}

/** Sends a form of the pages of passwords. */
export async function send(tab: VisitorTab, path: string, fields: Fields): Promise<void> {
  await postForm(tab, `password/${path}`, fields)
}

async function signUp(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = tabOf(actor)
  const email = choose.pick([person.email, person.otherEmail])
  const fields = { email, name: person.name, password: choosePassword(world, person) }
  const isPage = choose.pick([true, false])
  actor.say(`${person.name} signs up with a password${isPage ? " by the page" : ""}.`)
  if (!isPage) return send(tab, "sign-up", fields)
  await tab.open("/auth/password/sign-up")
  await tab.submit('form[action$="password/sign-up"]', fields)
}

async function forget(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const isReadSoon = choose.pick([true, false])
  const tab = tabOf(actor)
  actor.say(`${person.name} forgot the password, and asks for a mail.`)
  await send(tab, "forgot", { email: findOwnPassword(world, person)?.email ?? person.email })
  if (isReadSoon) await useMail(actor)
}

const paths: Readonly<Record<PasswordPurpose, string>> = { "sign-up": "sign-up", reset: "reset", add: "change" }

type PasswordMail = MailFacts & { readonly purpose: PasswordPurpose }

function isPasswordMail(mail: MailFacts): mail is PasswordMail {
  return mail.provider === "password"
}

/** The path of a mail's link, with its secrets. */
function linkOf({ url }: MailFacts): string {
  const { pathname, search } = new URL(url)
  return `${pathname.replace("/auth/password/", "")}${search}`
}

/**
 * Reads a mail, and does what it is for: types the code where it was asked for, or opens the link there or on the phone.
 * Twice at once, each time has a password of its own.
 */
async function useMail(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const mail = newestMail(actor, isPasswordMail)
  if (!isPasswordMail(mail)) throw new NothingToDo("There is no mail")
  const way = choose.pick(["types the code", "opens the link", "opens the link on the phone"])
  const times = choose.pick([1, 1, 2])
  const tab = way.endsWith("phone") ? choose.pick(world.phoneOf(person).tabs) : tabOf(actor)
  actor.say(`${person.name} ${way} of a mail for ${mail.purpose}${times > 1 ? ", twice at once" : ""}.`)
  const use = async () => {
    const password = choosePassword(world, person)
    if (way === "types the code") return send(tab, paths[mail.purpose], { code: mail.code ?? "", password })
    await tab.open(mail.url)
    return send(tab, linkOf(mail), { password })
  }
  await together(Array.from({ length: times }, use))
}

async function change(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = tabOf(actor)
  const { text: current = "none at all", email = person.email } = findOwnPassword(world, person) ?? {}
  const times = choose.pick([1, 1, 2])
  const isFresh = choose.pick([true, false])
  actor.say(
    `${person.name} ${isFresh ? "signs in with the password, and " : ""}changes it${times > 1 ? ", twice at once" : ""}.`,
  )
  if (isFresh) await tab.signIn("password", { email, password: current })
  const changeOnce = () => send(tab, "change", { current, password: choosePassword(world, person) })
  await together(Array.from({ length: times }, changeOnce))
}

/** Asks for the code with which to add a password, perhaps right after a sign-in. */
async function add(actor: Actor): Promise<void> {
  const { person, choose } = actor
  const isFresh = choose.pick([true, false])
  const isReadSoon = choose.pick([true, false])
  const tab = tabOf(actor)
  actor.say(`${person.name} ${isFresh ? "signs in at north, and " : ""}asks for a code to add a password.`)
  if (isFresh) await tab.signIn("north")
  await send(tab, "change", { action: "send-code" })
  if (isReadSoon) await useMail(actor)
}

/** Changes the password of a stolen session: without the current one, with that of the attacker, or with a guess. */
export async function changePassword({ world, person, choose }: Actor, tab: VisitorTab): Promise<void> {
  const current = choose.pick(["", findOwnPassword(world, person)?.text ?? "", "a guess of the attacker"])
  await send(tab, "change", { current, password: choosePassword(world, person) })
}

/**
 * Adds a password to a stolen session: with a guess, without a code, or with one of the attacker's own mails, which the
 * browser still expects if no other was asked for.
 */
export async function addPassword(actor: Actor, tab: VisitorTab): Promise<void> {
  const { world, person, choose } = actor
  if (choose.pick([true, false])) await send(tab, "change", { action: "send-code" })
  const own = world.model.mails.findLast(({ to, purpose }) => to === person.email && purpose === "add")?.code
  const code = choose.pick(["300000", own ?? "", ""])
  await send(tab, "change", { ...(code !== "" && { code }), password: choosePassword(world, person) })
}

/** The victim gets the mail. */
async function signUpAsVictim(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { email, name } = choose.pick(world.victims)
  actor.say(`${person.name} signs up with ${name}'s address and an own password.`)
  await send(ownTab(actor), "sign-up", { email, name: person.name, password: choosePassword(world, person) })
}

async function forgetForVictim(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { email } = choose.pick(world.victims)
  actor.say(`${person.name} asks for a mail for a forgotten password to ${email}.`)
  await send(ownTab(actor), "forgot", { email })
}

/** Uses a link or a code that a victim used already, or that a later change made worthless. */
async function replayReset(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { mails, passwords } = world.model
  const isOld = ({ hasSetPassword, to, passwordVersion }: MailFacts) => {
    const { version } = [...passwords.values()].find(({ email }) => email === to) ?? {}
    return hasSetPassword || (version ?? 0) > (passwordVersion ?? 0)
  }
  const old = mails.filter((mail) => mail.purpose === "reset" && isOld(mail))
  const mail = choose.pick(old.slice(-4).toReversed())
  actor.say(`${person.name} found an old link for a forgotten password to ${mail.to}, and opens it.`)
  await send(ownTab(actor), linkOf(mail), { password: choosePassword(world, person) })
}

/** Uses a mail to the own address for something else, or for someone else. A mail to a victim is seen when it was typed. */
async function bendMail(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const own = world.model.mails.filter(({ to, provider }) => ownsMailbox(person, to) && provider !== "code")
  const mail = choose.pick(own.slice(-3).toReversed())
  const kind = choose.pick(["address", "purpose", "code elsewhere", "use"])
  const victim = choose.pick(world.victims)
  const purpose = choose.pick(["reset", "change", "sign-up"])
  const tab = ownTab(actor)
  const password = choosePassword(world, person)
  actor.say(`${person.name} uses a mail for ${mail.purpose ?? "sign-in"} with another ${kind}.`)
  if (kind === "use") {
    const query = new URLSearchParams({ token: mail.token, email: mail.to })
    await postForm(tab, `account/email?${query}`, { action: "confirm" })
    return
  }
  const email = kind === "address" ? victim.email : person.email
  if (kind === "code elsewhere") {
    await send(tab, purpose, { email: victim.email, password })
    return send(tab, purpose, { code: mail.code ?? "", password })
  }
  const path = kind === "purpose" ? purpose : mail.provider === "password" ? (mail.purpose ?? "reset") : "reset"
  return send(tab, `${path}?${new URLSearchParams({ token: mail.token, email })}`, { password })
}

const guesses = 8

/** Asks for a mail to an address, and guesses its code from another network each time. */
async function guessCode(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { email } = choose.pick([...world.victims, person])
  const first = choose.pick([90, 100, 110, 120])
  const tab = ownTab(actor)
  const isSeen = choose.pick([false, true])
  actor.say(`${person.name} asks for a new password for ${email}, and guesses the code.`)
  await send(tab, "forgot", { email })
  const { network } = world.browserOf(person)
  const password = choosePassword(world, person)
  // A code that someone was seen typing is for another request.
  const seen = world.model.mails.findLast((mail) => mail.to === email && mail.browser.person.email === email)?.code
  if (isSeen && seen !== undefined) await send(tab, "reset", { code: seen, password })
  for (let guess = 0; guess < guesses; guess++) {
    network.address = `198.51.100.${first + guess}`
    await send(tab, "reset", { code: wrongCode(world, 200_000 + guess), password })
  }
}

/** Signs in with a password that a victim had, or that the attacker chose for them. */
async function tryFormer(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { chosenPasswords, formerPasswords } = world.model
  const victim = choose.pick(world.victims)
  const known = [...chosenPasswords].filter(
    ([text, by]) => by === person || (by === victim && formerPasswords.has(text)),
  )
  const [password, by] = choose.pick(known.slice(-4).toReversed())
  actor.say(`${person.name} signs in as ${victim.name} with a password that ${by.name} once chose.`)
  await ownTab(actor).signIn("password", { email: victim.email, password })
}
