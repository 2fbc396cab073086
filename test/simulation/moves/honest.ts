import { toStoredId } from "../../../packages/testkit/src/authenticator/software-authenticator.js"
import type {
  CreationOptionsJson,
  RequestOptionsJson,
} from "../../../packages/testkit/src/authenticator/webauthn-types.js"
import { ownsMailbox, type Person } from "../people.js"
import type { VisitorTab } from "../visitor-browser.js"
import type { World } from "../world.js"
import { copyCookies } from "./cookies.js"
import { type Actor, type Move, NothingToDo, together } from "./move.js"
import { passwordFields } from "./passwords.js"
import { tabOf } from "./tabs.js"

/** What people do who mean no harm. The attacker does it, too. */
export const honestMoves: readonly Move[] = [
  { name: "sign-in", by: "anyone", weight: 10, run: signInSomehow },
  { name: "read-session", by: "anyone", weight: 5, run: readSession },
  { name: "sign-out", by: "anyone", weight: 3, run: signOut },
  { name: "add-passkey", by: "anyone", weight: 4, run: addPasskey },
  { name: "use-page", by: "anyone", weight: 4, run: usePage },
  { name: "go-back", by: "anyone", weight: 2, run: goBack },
  { name: "resend-form", by: "anyone", weight: 3, run: resendForm },
  { name: "update-session", by: "anyone", weight: 1, run: updateSession },
]

/** Signs in by the forms of the sign-in page, as someone without scripts does. */
async function usePage(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = choose.pick(world.browserOf(person).tabs)
  const way = choose.pick(waysOf(world, person).filter((each) => each !== "passkey"))
  actor.say(`${person.name} signs in with ${way} by the sign-in page.`)
  if (tab.page?.url.pathname !== "/auth/signin") await tab.open("/auth/signin")
  await submitSignIn({ world, person }, way, tab)
}

/** Fills in the form of the sign-in page that the tab shows. */
export async function submitSignIn(
  { world, person }: Pick<Actor, "world" | "person">,
  way: string,
  tab: VisitorTab,
): Promise<void> {
  const path = way === "password" ? "callback" : "signin"
  const isMail = way === "mail" || way === "code"
  await tab.submit(`form[action$="${path}/${way}"]`, {
    ...(isMail && { email: mailAddressOf(world, person) }),
    ...(way === "password" && passwordFields(world, person)),
  })
}

/** The ways to sign in that a person has. */
export function waysOf(world: World, person: Person): readonly string[] {
  const isSouthUsed = person.isAttacker || !world.setting.isSouthCompromised
  return [
    "north",
    "mail",
    "code",
    ...(isSouthUsed ? ["south"] : []),
    ...(passwordFields(world, person) ? ["password"] : []),
    ...(person.device.credentials.length > 0 ? ["passkey"] : []),
  ]
}

async function signInSomehow(actor: Actor): Promise<void> {
  const way = actor.choose.pick(waysOf(actor.world, actor.person))
  const tab = tabOf(actor)
  actor.say(`${actor.person.name} signs in with ${way}.`)
  await signInWith(actor, way, tab)
}

/** The address that a person signs in with: the second one if a user of theirs has that alone. */
function mailAddressOf({ model }: World, person: Person): string {
  const own = [...model.users.values()].filter(({ owner, isDeleted }) => owner === person && !isDeleted)
  const used = own.map(({ email }) => email).filter((email) => ownsMailbox(person, email))
  return used.length === 0 || used.includes(person.email) ? person.email : person.otherEmail
}

/** Signs in as far as it goes without opening a mail. */
export async function signInWith(
  { world, person }: Pick<Actor, "world" | "person">,
  way: string,
  tab: VisitorTab,
  email: string = mailAddressOf(world, person),
): Promise<void> {
  if (way === "passkey") return signInByPasskey({ world, person }, tab)
  const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    mail: { email },
    code: { email },
    password: { ...passwordFields(world, person) },
  }
  const page = await tab.signIn(way, fields[way] ?? {})
  const { url } = page
  if (url.pathname.startsWith("/auth/callback/")) world.browserOf(person).history.push(url.href)
}

async function signInByPasskey({ world, person }: Pick<Actor, "world" | "person">, tab: VisitorTab): Promise<void> {
  const options = await passkeyOptions<RequestOptionsJson>(tab, { action: "authenticate" })
  const answer = JSON.stringify(await person.device.get(options))
  world.model.assertions.set(answer, person)
  if (person.isAttacker) world.knowledge.assertions.push({ answer, cookies: copyCookies(world.browserOf(person)) })
  await sendPasskey(tab, "authenticate", answer)
}

export async function addPasskey(actor: Actor): Promise<void> {
  const { world, person } = actor
  const tab = tabOf(actor)
  actor.say(`${person.name} adds a passkey.`)
  const answer = await createPasskey(world, person, await passkeyOptions(tab, { action: "register" }))
  await sendPasskey(tab, "register", answer)
}

/** Begins an account with a passkey and the second address, which no one has proved. */
export async function signUpWithPasskey(
  { world, person }: Pick<Actor, "world" | "person">,
  tab: VisitorTab,
): Promise<void> {
  const query = { action: "register", email: person.otherEmail }
  const answer = await createPasskey(world, person, await passkeyOptions(tab, query))
  await sendPasskey(tab, "register", answer)
}

/** Lets a person's device create a passkey. Returns its answer. */
export async function createPasskey(world: World, person: Person, options: CreationOptionsJson): Promise<string> {
  const made = await person.device.create(options)
  world.model.passkeyOwners.set(toStoredId(made.id), person)
  const answer = JSON.stringify(made)
  world.model.assertions.set(answer, person)
  return answer
}

export async function passkeyOptions<T>(tab: VisitorTab, query: Readonly<Record<string, string>>): Promise<T> {
  const response = await tab.fetch(`/auth/webauthn-options/passkey?${new URLSearchParams(query)}`)
  const { options } = Object(await response.json())
  if (response.status !== 200 || !options) throw new NothingToDo("The service offers no ceremony")
  return options
}

export async function sendPasskey(tab: VisitorTab, action: string, data: string): Promise<Response> {
  const csrfToken = await tab.csrfToken()
  const body = new URLSearchParams({ csrfToken, callbackUrl: "/", action, data })
  return tab.fetch("/auth/callback/passkey", { method: "POST", body })
}

async function readSession(actor: Actor): Promise<void> {
  const tab = tabOf(actor)
  actor.say(`${actor.person.name} looks at the app.`)
  await tab.session()
}

async function updateSession(actor: Actor): Promise<void> {
  const tab = tabOf(actor)
  actor.say(`${actor.person.name} changes something about the session.`)
  const csrfToken = await tab.csrfToken()
  await tab.fetch("/auth/session", { method: "POST", json: { csrfToken, data: { theme: "dark" } } })
}

async function signOut(actor: Actor): Promise<void> {
  const tab = tabOf(actor)
  actor.say(`${actor.person.name} signs out.`)
  await tab.signOut()
}

async function goBack(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const url = choose.pick(world.browserOf(person).history.slice(-4).toReversed())
  actor.say(`${person.name} presses Back to ${new URL(url).pathname}.`)
  await tabOf(actor).open(url, { from: url })
}

/** Sends a form again: after Back, or because someone presses the button twice. */
async function resendForm(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { url, body, mode } = choose.pick(world.browserOf(person).forms.slice(-4).toReversed())
  const times = choose.pick([1, 2])
  const tab = tabOf(actor)
  actor.say(`${person.name} sends the form to ${new URL(url).pathname} again${times > 1 ? ", twice" : ""}.`)
  const send = () => (mode === "navigate" ? tab.open(url, { method: "POST", body }) : tab.fetch(url, { body }))
  await together(Array.from({ length: times }, send))
}
