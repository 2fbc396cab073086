import type { MailFacts } from "../facts.js"
import { ownsMailbox } from "../people.js"
import type { VisitorTab } from "../visitor-browser.js"
import { type Actor, type Move, NothingToDo, together, wrongCode } from "./move.js"
import { ownTab, postForm, tabOf } from "./tabs.js"

/** What people, scanners and the attacker do with mailed links and codes. */
export const mailMoves: readonly Move[] = [
  { name: "open-mail", by: "anyone", weight: 6, run: openMail },
  { name: "scan-mail", by: "anyone", weight: 3, run: scanMail },
  {
    name: "post-link",
    by: "anyone",
    weight: 3,
    isPossible: ({ setting }) => setting.isLinkClosed,
    run: postLink,
  },
  { name: "request-mail", by: "attacker", weight: 2, run: requestMail },
  { name: "bend-mail-link", by: "attacker", weight: 4, run: bendMailLink },
  { name: "guess-code", by: "attacker", weight: 2, run: guessCode },
]

/** One of the newest mails to the person who moves. */
export function newestMail(
  { world, person, choose }: Actor,
  isFitting: (mail: MailFacts) => boolean = () => true,
): MailFacts {
  const mails = world.model.mails.filter((mail) => ownsMailbox(person, mail.to) && isFitting(mail))
  return choose.pick(mails.slice(-3).toReversed())
}

async function openMail(actor: Actor): Promise<void> {
  const mail = newestMail(actor)
  const tab = tabOf(actor)
  const times = actor.choose.pick([1, 1, 2])
  const again = mail.used > 0 ? " once more" : times > 1 ? " twice at once" : ""
  actor.say(`${actor.person.name} opens a link from ${mail.provider}${again}.`)
  await together(Array.from({ length: times }, () => tab.open(mail.url)))
}

interface Scanner {
  readonly name: string
  readonly read: (tab: VisitorTab, url: string) => Promise<unknown>
}

/** Programs that look at the links of a mail before its reader does. They have no cookies, and reach only the app. */
const scanners: readonly Scanner[] = [
  { name: "with HEAD", read: (tab, url) => tab.open(url, { method: "HEAD" }) },
  { name: "as a prefetch", read: (tab, url) => tab.open(url, { headers: { "sec-purpose": "prefetch" } }) },
  { name: "with GET", read: (tab, url) => tab.fetch(url) },
  { name: "like a browser", read: (tab, url) => tab.open(url) },
  { name: "like a browser, and presses the first button", read: openAndPress },
]

export async function openAndPress(tab: VisitorTab, url: string): Promise<void> {
  const page = await tab.open(url)
  const form = page.forms().find(({ buttons }) => buttons.length > 0)
  if (!form) throw new NothingToDo("The page has no button")
  await tab.submit(form)
}

async function scanMail(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const mail = newestMail(actor)
  const { name, read } = choose.pick(scanners)
  actor.say(`A scanner of ${person.name}'s mailbox opens a link from ${mail.provider} ${name}.`)
  await read(world.scannerOf(person).newTab(), mail.url)
}

/** Sends a form to the link itself from the phone, as the page of another release did: it had a button, and no code. */
async function postLink(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const mail = newestMail(actor, ({ provider }) => provider === "mail")
  const tab = choose.pick(world.phoneOf(person).tabs)
  actor.say(`${person.name} sends a form to a link from ${mail.provider} on the phone.`)
  const { pathname, search } = new URL(mail.url)
  await postForm(tab, `${pathname.replace("/auth/", "")}${search}`, {})
}

async function requestMail(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { email } = choose.pick([person, ...world.victims])
  const provider = choose.pick(["mail", "code"])
  actor.say(`${person.name} asks for a mail of ${provider} to ${email}.`)
  await ownTab(actor).signIn(provider, { email })
}

/** Changes a link that came to the attacker's own mailbox. */
async function bendMailLink(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const mail = newestMail(actor)
  const url = new URL(mail.url)
  const change = choose.pick(["provider", "address", "no address", "head", "prefetch"])
  actor.say(`${person.name} opens a link from ${mail.provider} with another ${change}.`)
  if (change === "provider") url.pathname = mail.provider === "mail" ? "/auth/callback/code" : "/auth/callback/mail"
  if (change === "address") url.searchParams.set("email", choose.pick(world.victims).email)
  if (change === "no address") url.searchParams.delete("email")
  const headers = change === "prefetch" ? { "sec-purpose": "prefetch" } : {}
  await ownTab(actor).open(url, { method: change === "head" ? "HEAD" : "GET", headers })
}

const guesses = 24

/** Guesses codes, from one network or, as with many machines, from six. */
async function guessCode(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { email } = choose.pick(world.victims)
  const provider = choose.pick(["code", "mail"])
  const networks = choose.pick([6, 1])
  actor.say(`${person.name} guesses codes that were sent to ${email} from ${networks} other networks.`)
  for (let guess = 0; guess < guesses; guess++) {
    world.browserOf(person).network.address = `198.51.100.${30 + (guess % networks)}`
    const query = new URLSearchParams({ email, token: wrongCode(world, 100_000 + guess) })
    await ownTab(actor).open(`/auth/callback/${provider}?${query}`)
  }
}
