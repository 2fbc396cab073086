import { codeAt, heldCookie, stepOf } from "../factor-rules.js"
import type { AppFacts, FactorFacts } from "../facts.js"
import { importPath } from "../features.js"
import { hasPasskey } from "../model.js"
import { subjectOf } from "../people.js"
import { ownSessionCookies } from "../session-cookie.js"
import type { VisitorBrowser, VisitorTab } from "../visitor-browser.js"
import type { CopiedCookies, World } from "../world.js"
import { typeCode } from "./codes.js"
import { restoreCookies } from "./cookies.js"
import { signInWith, signUpWithPasskey, waysOf } from "./honest.js"
import { type Actor, type Move, NothingToDo, together, wrongCode } from "./move.js"
import { type Fields, jsonHeaders, ownTab, postForm, tabOf } from "./tabs.js"

const isPossible = ({ setting }: World): boolean => setting.hasSecondFactors

const isRequired = ({ setting }: World): boolean => setting.isFactorRequired

/** Whether someone has a second factor. */
const isUsed = ({ setting, model }: World): boolean => setting.hasSecondFactors && model.factors.size > 0

/** What people do with authenticator apps and recovery codes, and the attacker with what they saw of them. */
export const factorMoves: readonly Move[] = [
  { name: "set-up-app", by: "anyone", weight: 6, isPossible, run: setUp },
  { name: "give-code", by: "anyone", weight: 14, isPossible: isUsed, run: giveCode },
  { name: "sign-in-with-two", by: "anyone", weight: 8, isPossible: isUsed, run: signInWithTwo },
  { name: "enroll", by: "anyone", weight: 14, isPossible: isRequired, run: enroll },
  { name: "own-passkey", by: "anyone", weight: 14, isPossible: isRequired, run: ownPasskey },
  { name: "use-stolen-account", by: "attacker", weight: 14, isPossible: isRequired, run: useStolenAccount },
  { name: "import-factors", by: "anyone", weight: 3, isPossible, run: importFactors },
  { name: "remove-factor", by: "anyone", weight: 2, isPossible: isUsed, run: removeOne },
  { name: "renew-recovery-codes", by: "anyone", weight: 1, isPossible: isUsed, run: renewCodes },
  { name: "guess-factor", by: "attacker", weight: 4, isPossible: isUsed, run: guessFactor },
  { name: "type-seen-factor", by: "attacker", weight: 5, isPossible: isUsed, run: typeSeen },
  {
    name: "copy-hold",
    by: "attacker",
    weight: 3,
    isPossible: (world) => isUsed(world) && world.setting.isSessionStolen,
    run: copyHold,
  },
  {
    name: "replay-hold",
    by: "attacker",
    weight: 14,
    isPossible: (world) => isUsed(world) && world.knowledge.holds.length > 0,
    run: replayHold,
  },
]

/** The code that an app shows now. Its clock is right, and those of the instances may not be. */
export function codeOf({ secret }: Pick<AppFacts, "secret">, { model }: World): string {
  return codeAt(secret, stepOf(model.now()))
}

/** Asks for a secret, and gives the first code: once, twice at once, or not at all. Needs a new sign-in. */
export async function setUpApp({ world, person, choose }: Actor, tab: VisitorTab): Promise<void> {
  const times = choose.pick([1, 1, 1, 2])
  const response = await postForm(tab, "account/factors", { action: "begin-totp" })
  const { ticket, secret } = Object(await response.json())
  if (typeof ticket !== "string") throw new NothingToDo("The service sets up nothing")
  world.model.apps.set(ticket, { secret, person })
  const confirm = () =>
    postForm(tab, "account/factors", { action: "confirm-totp", ticket, code: codeOf({ secret }, world) })
  await together(Array.from({ length: times }, confirm))
}

/** Sets up an app on the page to which the service sends someone who has no second factor and needs one. */
export async function enrollHere({ world, person }: Pick<Actor, "world" | "person">, tab: VisitorTab): Promise<void> {
  const page = await tab.open("/auth/second-factor")
  const secret = page.find("code")?.text.replace(/\s/g, "")
  const ticket = page.find("input[name=ticket]")?.attribute("value")
  if (!secret || !ticket) throw new NothingToDo("The service does not ask for an app")
  world.model.apps.set(ticket, { secret, person })
  await postForm(tab, "second-factor/enroll", { ticket, code: codeOf({ secret }, world) })
}

async function enroll(actor: Actor): Promise<void> {
  const { world, person } = actor
  const tab = tabOf(actor)
  if (readHold(world.browserOf(person)).length === 0) throw new NothingToDo("No sign-in waits")
  actor.say(`${person.name} sets up an authenticator app to complete a sign-in.`)
  await enrollHere(actor, tab)
}

/** Signs up with a passkey, which is all that is needed, and adds an account at a provider. */
async function ownPasskey(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const device = choose.pick([world.browserOf(person), world.phoneOf(person)])
  const tab = choose.pick(device.tabs)
  actor.say(`${person.name} signs up with a passkey, and adds an account at north.`)
  if (ownSessionCookies(device.sessionCookie, device.jar.list()).length > 0) await tab.signOut()
  await signUpWithPasskey(actor, tab)
  await tab.signIn("north")
}

/** Signs in with a victim's account at a provider, or with a mail from their mailbox, and sets up an app of the own. */
async function useStolenAccount(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const victim = choose.pick(world.victims)
  const way = choose.pick(["north", "north", "mail"])
  const userId = world.model.accounts.get(`north ${subjectOf(victim, "north")}`) ?? ""
  const { email } = world.model.users.get(userId) ?? {}
  // Who has nothing else to show is the owner of the account, as far as anyone can tell.
  if (!email || !hasPasskey(world.model, userId)) throw new NothingToDo("The victim has no passkey")
  actor.say(`${person.name} has got into ${victim.name}'s ${way === "mail" ? "mailbox" : "account at north"}.`)
  const device = world.scannerOf(person)
  const [tab = device.newTab()] = device.tabs
  device.identities.set("north", world.providerOf("north").identityOf(victim))
  await tab.signIn(way, way === "mail" ? { email } : {})
  const mail = world.model.mails.findLast(({ browser }) => browser === device)
  if (mail?.code !== undefined) await typeCode(tab, mail.code)
  await enrollHere(actor, tab)
}

async function setUp(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const way = choose.pick(["", ...waysOf(world, person).filter((each) => each !== "mail" && each !== "code")])
  const tab = tabOf(actor)
  actor.say(`${person.name} ${way === "" ? "" : `signs in with ${way}, and `}sets up an authenticator app.`)
  if (way !== "") await signInWith(actor, way, tab)
  await setUpApp(actor, tab)
}

/** The host imports the app and the recovery codes that a person had in a former system: once, or twice at once. */
async function importFactors({ world, person, choose, say }: Actor): Promise<void> {
  const { model } = world
  const own = [...model.users.values()].filter(({ owner, isDeleted }) => owner === person && !isDeleted)
  const { id: user } = choose.pick(own)
  const times = choose.pick([1, 1, 2])
  const number = model.apps.size
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
  const secret = `JBSWY3DPEHPK3PXPJBSWY3DPEHPK3P${letters[number >> 5] ?? ""}${letters[number & 31] ?? ""}`
  const codes = ["abcde", "fghij"].map((part) => `${part}-${10_000 + number}`)
  const ticket = `former app ${number}`
  model.apps.set(ticket, { secret, person })
  say(`The host imports the app and the recovery codes that ${person.name} had${times > 1 ? ", twice at once" : ""}.`)
  const body = new URLSearchParams({ user, ticket, secret, codes: codes.join(" ") })
  const run = async () => {
    const response = await world.scannerOf(person).newTab().fetch(importPath, { method: "POST", body })
    const { hasCodes } = Object(await response.json())
    if (hasCodes) for (const code of codes) model.recoveryCodes.set(code, { userId: user, owner: person, uses: 0 })
  }
  await together(Array.from({ length: times }, run))
}

/** The factors of a person's users. */
export function factorsOf({ model }: World, { person }: Pick<Actor, "person">): readonly FactorFacts[] {
  return [...model.factors.values()].filter(
    ({ userId, kind }) => kind === "totp" && model.users.get(userId)?.owner === person,
  )
}

/** A code that the person has: of an app, or a recovery code. */
function findCode({ world, person, choose }: Actor): Fields & { readonly kind: string; readonly code: string } {
  const apps = factorsOf(world, { person }).filter(({ secret }) => ownsSecret(world, person, secret))
  // The attacker tries used ones as well.
  const isFitting = (uses: number) => uses === 0 || person.isAttacker
  const codes = [...world.model.recoveryCodes].filter(([, { owner, uses }]) => owner === person && isFitting(uses))
  const kind = choose.pick(["totp", "totp", "recovery"])
  if (kind === "totp") return { kind, code: codeOf(choose.pick(apps.toReversed()), world) }
  return { kind, code: choose.pick(codes.map(([code]) => code)) }
}

export function ownsSecret({ model }: World, person: Actor["person"], secret: string): boolean {
  return [...model.apps.values()].some((app) => app.secret === secret && app.person === person)
}

/** Gives the code that a sign-in waits for: once, or twice at once. */
async function giveCode(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  if (readHold(world.browserOf(person)).length === 0) throw new NothingToDo("No sign-in waits")
  const { kind, code } = findCode(actor)
  const times = choose.pick([1, 1, 2])
  const tab = tabOf(actor)
  actor.say(`${person.name} gives a code for ${kind}${times > 1 ? ", twice at once" : ""}.`)
  keepHold(actor)
  await together(Array.from({ length: times }, () => postForm(tab, `second-factor/${kind}`, { code })))
}

async function signInWithTwo(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const ways = waysOf(world, person).filter((each) => each !== "mail" && each !== "code" && each !== "passkey")
  const way = choose.pick(ways)
  const { kind, code } = findCode(actor)
  const tab = tabOf(actor)
  actor.say(`${person.name} signs in with ${way}, and gives a code for ${kind}.`)
  await signInWith(actor, way, tab)
  keepHold(actor)
  await postForm(tab, `second-factor/${kind}`, { code })
}

async function removeOne(actor: Actor): Promise<void> {
  const { person, choose } = actor
  const tab = tabOf(actor)
  const response = await tab.fetch("/auth/account/factors", { headers: jsonHeaders })
  const { factors = [] } = Object(await response.json())
  const { id, kind } = choose.pick(factors as readonly { readonly id: string; readonly kind: string }[])
  actor.say(`${person.name} removes the factor ${kind}.`)
  await postForm(tab, "account/factors", { action: "remove", id })
}

async function renewCodes(actor: Actor): Promise<void> {
  const tab = tabOf(actor)
  actor.say(`${actor.person.name} asks for new recovery codes.`)
  await postForm(tab, "account/factors", { action: "create-recovery-codes" })
}

/** The cookie of the sign-in that waits in a browser. */
export function readHold({ jar }: VisitorBrowser): CopiedCookies {
  return jar.list().filter(({ name, domain }) => name === heldCookie && domain === "app.corp.test")
}

/** The attacker keeps copies of their own cookies. */
export function keepHold({ world, person }: Pick<Actor, "world" | "person">): void {
  const cookies = person.isAttacker ? readHold(world.browserOf(person)) : []
  if (cookies.length > 0) world.knowledge.holds.push(cookies)
}

async function copyHold(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const victim = choose.pick(world.victims)
  const cookies = readHold(world.browserOf(victim))
  if (cookies.length === 0) throw new NothingToDo("No sign-in waits")
  actor.say(`${person.name} gets a copy of the cookie of ${victim.name}'s sign-in that waits.`)
  world.knowledge.holds.push(cookies)
}

const guesses = 8

async function guessFactor(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  if (readHold(world.browserOf(person)).length === 0) throw new NothingToDo("No sign-in waits")
  const first = choose.pick([130, 140, 150])
  const tab = ownTab(actor)
  actor.say(`${person.name} guesses codes of an authenticator app.`)
  keepHold(actor)
  for (let guess = 0; guess < guesses; guess++) {
    world.browserOf(person).network.address = `198.51.100.${first + guess}`
    await postForm(tab, "second-factor/totp", { code: wrongCode(world, 400_000 + guess) })
  }
}

/** A code that a victim typed a moment ago, or a recovery code that was used. */
function findSeen({ world, choose }: Actor): readonly [kind: string, code: string] {
  const { model } = world
  const used = [...model.recoveryCodes].filter(([, { uses }]) => uses > 0).map(([code]) => ["recovery", code] as const)
  const typed = [...model.factors.values()]
    .filter(({ kind }) => kind === "totp")
    .flatMap(({ secret, spentSteps }) => spentSteps.slice(-1).map((step) => ["totp", codeAt(secret, step)] as const))
  return choose.pick(choose.pick<readonly (readonly [string, string])[]>([typed.toReversed(), used.toReversed()]))
}

async function typeSeen(actor: Actor): Promise<void> {
  const { world, person } = actor
  if (readHold(world.browserOf(person)).length === 0) throw new NothingToDo("No sign-in waits")
  const [kind, code] = findSeen(actor)
  actor.say(`${person.name} types a code for ${kind} that was used before.`)
  keepHold(actor)
  await postForm(ownTab(actor), `second-factor/${kind}`, { code })
}

/** Puts a copied cookie back: with an own code, one that was seen, or a guess; perhaps while signed in as oneself. */
async function replayHold(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const browser = world.browserOf(person)
  const cookies = choose.pick(world.knowledge.holds.slice(-4).toReversed())
  const what = choose.pick(["an own code", "an own code", "a code that was used", "a guess"])
  const times = choose.pick([1, 2])
  const isSignedIn = choose.pick([false, true])
  const tab = ownTab(actor)
  actor.say(
    `${person.name} puts a copied cookie of a sign-in that waits back, and types ${what}, ${times} times at once.`,
  )
  if (isSignedIn) await signInWith(actor, "north", tab)
  const [kind, code] =
    what === "an own code"
      ? Object.values(findCode(actor))
      : what === "a guess"
        ? ["totp", wrongCode(world, 500_000)]
        : findSeen(actor)
  browser.jar.remove(({ name }) => name === heldCookie)
  restoreCookies(browser, cookies)
  await together(Array.from({ length: times }, () => postForm(tab, `second-factor/${kind}`, { code: code ?? "" })))
}

/** Completes a sign-in of a user who has an authenticator app, as its owner does. */
export async function giveSecondFactor(
  world: World,
  person: Actor["person"],
  userId: string,
  tab: VisitorTab,
): Promise<void> {
  if (readHold(world.browserOf(person)).length === 0) return
  const factor = factorsOf(world, { person }).find((each) => each.userId === userId)
  if (factor) await postForm(tab, "second-factor/totp", { code: codeOf(factor, world) })
  else if (hasPasskey(world.model, userId)) await signInWith({ world, person }, "passkey", tab)
  else await enrollHere({ world, person }, tab)
}

/** Whether someone else set up one of a user's factors. */
export function isFactorForeign(world: World, userId: string, person: Actor["person"]): boolean {
  const own = factorsOf(world, { person }).filter((factor) => factor.userId === userId)
  return own.some(({ secret }) => !ownsSecret(world, person, secret))
}
