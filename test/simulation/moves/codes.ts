import type { MailFacts, MailPurpose } from "../facts.js"
import { mailCookiePrefix } from "../mail-rules.js"
import type { VisitorBrowser, VisitorTab } from "../visitor-browser.js"
import { newestMail, openAndPress } from "./mail.js"
import { type Actor, type Move, NothingToDo, together, wrongCode } from "./move.js"
import { type Fields, ownTab, postForm, readJson, tabOf } from "./tabs.js"

/** What people and the attacker do with the codes in mails, and with links that another browser opens. */
export const codeMoves: readonly Move[] = [
  { name: "type-code", by: "anyone", weight: 5, run: typeOwnCode },
  { name: "open-on-phone", by: "anyone", weight: 4, run: openOnPhone },
  { name: "link-and-code", by: "anyone", weight: 2, run: openAndType },
  { name: "resend-mail", by: "anyone", weight: 2, run: resendMail },
  { name: "send-mail-again", by: "anyone", weight: 3, run: sendAgain },
  { name: "guess-mailed-code", by: "attacker", weight: 3, run: guessMailedCode },
  { name: "type-seen-code", by: "attacker", weight: 4, run: typeSeenCode },
  { name: "replay-mail-cookie", by: "attacker", weight: 3, run: replayMailCookie },
]

/** Sends a code as a script of the host does. */
export async function typeCode(tab: VisitorTab, code: string): Promise<void> {
  const body = new URLSearchParams({ csrfToken: await tab.csrfToken(), code })
  const headers = { "x-auth-return-redirect": "1" }
  await tab.fetch("/auth/callback/mail", { method: "POST", body, headers })
}

/** A mail with a code that a person can read. */
function newestCode(actor: Actor): MailFacts & { readonly code: string } {
  const mail = newestMail(actor, ({ code }) => code !== undefined)
  return { ...mail, code: mail.code ?? "" }
}

async function typeOwnCode(actor: Actor): Promise<void> {
  const { person, choose } = actor
  const { code } = newestCode(actor)
  const tab = tabOf(actor)
  const times = choose.pick([1, 1, 2])
  const form = tab.page?.forms().find(({ names }) => names.includes("code"))
  const how = form ? "on the page" : "in the app"
  actor.say(`${person.name} types a code ${how}${times > 1 ? ", and sends it twice at once" : ""}.`)
  if (form && times === 1) await tab.submit(form, { code: `${code.slice(0, 3)} ${code.slice(3)}` })
  else await together(Array.from({ length: times }, () => typeCode(tab, code)))
}

/** Reads the mail in another browser than the one that asked: presses the button, or types the code that it shows at home. */
async function openOnPhone(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const mail = newestMail(actor, ({ provider }) => provider === "mail")
  const phone = world.phoneOf(person)
  const tab = choose.pick(phone.tabs)
  const isPressed = choose.pick([true, false])
  actor.say(
    `${person.name} opens a link from ${mail.provider} on the phone${isPressed ? ", and presses the button" : ""}.`,
  )
  if (world.setting.isLinkClosed) {
    const page = await tab.open(mail.url)
    const [code] = /\b\d{6}\b/.exec(page.text()) ?? []
    if (code !== undefined) await typeCode(tabOf(actor), code)
  } else if (isPressed) await openAndPress(tab, mail.url)
  else await tab.open(mail.url)
}

/** Opens the link and types the code at the same time: both are two ways to one record. */
async function openAndType(actor: Actor): Promise<void> {
  const { person } = actor
  const { url, code } = newestCode(actor)
  const tab = ownTab(actor)
  actor.say(`${person.name} opens a link and types the code of the same mail at once.`)
  await together([typeCode(tab, code), tab.open(url)])
}

/** Asks for another mail, and types the code of the former one. */
async function resendMail(actor: Actor): Promise<void> {
  const { person, choose } = actor
  const { code, to } = newestCode(actor)
  const isTyped = choose.pick([true, false])
  const tab = ownTab(actor)
  actor.say(`${person.name} asks for another mail${isTyped ? ", and types the code of the former one" : ""}.`)
  await tab.signIn("mail", { email: to })
  if (isTyped) await typeCode(tab, code)
}

/** Where a mail is sent again: the page that has the button, the path of its form, and the fields that a script sends. */
interface Resending {
  readonly page: string
  readonly path: string
  fields(to: string, tab: VisitorTab): Fields | Promise<Fields>
}

const resendings: Readonly<Record<"sign-in" | Exclude<MailPurpose, "undo">, Resending>> = {
  "sign-in": { page: "verify-request", path: "signin/mail", fields: (email) => ({ email }) },
  // What was chosen is in the cookie of the browser.
  "sign-up": { page: "password/sign-up?step=code", path: "password/sign-up", fields: (_, tab) => readFlow(tab) },
  reset: { page: "password/reset", path: "password/forgot", fields: (email) => ({ email }) },
  add: { page: "password/change", path: "password/change", fields: () => ({ action: "send-code" }) },
  change: { page: "account/email", path: "account/email", fields: (email) => ({ action: "send", email }) },
}

async function readFlow(tab: VisitorTab): Promise<Fields> {
  const flow: unknown = Object(await readJson(tab, "/auth/password/sign-up?step=code")).flow
  return { flow: typeof flow === "string" ? flow : "" }
}

/**
 * Has a mail sent again, perhaps once more at once: by the button of its page, which is loaded again afterwards, or by a
 * script, here or on the phone.
 */
async function sendAgain(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { to, purpose = "sign-in" } = newestMail(
    actor,
    ({ provider, purpose }) => provider !== "code" && purpose !== "undo",
  )
  if (purpose === "undo") throw new NothingToDo("The mail is not sent again")
  const way = choose.pick(["by the page", "in the app", "on the phone"])
  const times = choose.pick([2, 1])
  const tab = way === "on the phone" ? choose.pick(world.phoneOf(person).tabs) : ownTab(actor)
  const { page, path, fields } = resendings[purpose]
  actor.say(`${person.name} has a mail for ${purpose} sent again ${way}${times > 1 ? ", twice" : ""}.`)
  for (let time = 0; time < times; time++) {
    if (way === "by the page") await pressAgain(tab, `/auth/${page}`)
    else await postForm(tab, path, { ...(await fields(to, tab)), again: "true" })
  }
  // One may have sent it already.
  if (way === "on the phone")
    await postForm(ownTab(actor), path, { ...(await fields(to, ownTab(actor))), again: "true" })
}

async function pressAgain(tab: VisitorTab, url: string): Promise<void> {
  const page = await tab.open(url)
  const form = page.forms().find(({ names }) => names.includes("again"))
  if (!form) throw new NothingToDo("The page has no button")
  const { pathname, search } = (await tab.submit(form)).url
  await tab.open(`${pathname}${search}`)
}

const guesses = 8

/** Asks for a mail to an address, and guesses its code from another network each time. */
async function guessMailedCode(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { email } = choose.pick([person, ...world.victims])
  const first = choose.pick([50, 60, 70, 80])
  const tab = ownTab(actor)
  actor.say(`${person.name} asks for a mail to ${email}, and guesses its code ${guesses} times.`)
  await tab.signIn("mail", { email })
  const { network } = world.browserOf(person)
  for (let guess = 0; guess < guesses; guess++) {
    network.address = `198.51.100.${first + guess}`
    await typeCode(tab, wrongCode(world, 100_000 + guess))
  }
}

/** The attacker looks over a victim's shoulder at a code, or has one of their own, and types it into the own browser. */
async function typeSeenCode(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const seen = world.model.mails.filter(
    ({ code, owner, browser }) => code !== undefined && (owner === browser.person || owner === person),
  )
  const { code = "", to } = choose.pick(seen.slice(-3).toReversed())
  const tab = ownTab(actor)
  const isAsked = choose.pick([true, false])
  actor.say(
    `${person.name} saw a code to ${to}, ${isAsked ? "asks for a mail to that address, " : ""}and types the code.`,
  )
  if (isAsked) await tab.signIn("mail", { email: to })
  if (code === "") throw new NothingToDo("There is no code")
  await typeCode(tab, code)
}

/** Puts the cookie of a former mail back, perhaps after the mail was sent again, and types a code that it may take. */
async function replayMailCookie(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const browser = world.browserOf(person)
  const own = [...world.model.mailCookies].filter(([, mail]) => mail.browser === browser)
  const [cookie, { to, code }] = choose.pick(own.slice(-4).toReversed())
  const isAsked = choose.pick([true, false])
  const newest = () => world.model.mails.findLast((mail) => mail.to === to && mail.provider === "mail")?.code
  const typed = choose.pick(["its code", "the newest code", "a guess"])
  const asking = isAsked ? `asks for a mail to ${to} again, ` : ""
  actor.say(`${person.name} ${asking}puts the cookie of a former mail to ${to} back, and types ${typed}.`)
  const tab = ownTab(actor)
  if (isAsked) await tab.signIn("mail", { email: to })
  putMailCookie(browser, cookie)
  const read = to === person.email ? { "its code": code, "the newest code": newest() }[typed] : undefined
  await typeCode(tab, read ?? wrongCode(world, 100_000))
}

function putMailCookie({ jar }: VisitorBrowser, cookie: string): void {
  const [name = "", value = ""] = cookie.split("=", 2)
  jar.remove((each) => each.name.startsWith(mailCookiePrefix))
  const place = { domain: "app.corp.test", isHostOnly: true, path: "/", isSecure: true, isHttpOnly: true } as const
  jar.put({ name, value, ...place, sameSite: "Lax", expiresAt: null })
}
