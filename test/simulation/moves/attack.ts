import type { CreationOptionsJson } from "../../../packages/testkit/src/authenticator/webauthn-types.js"
import { passwordUserId } from "../host.js"
import { subjectOf } from "../people.js"
import type { HeldFlow } from "../world.js"
import { copyCookies, restoreCookies } from "./cookies.js"
import { createPasskey, passkeyOptions, sendPasskey, signInWith } from "./honest.js"
import { type Actor, type Move, together } from "./move.js"
import { ownTab } from "./tabs.js"

/** What the attacker does with flows, identities and guesses of their own. Each move is simple; the scheduler combines them. */
export const attackMoves: readonly Move[] = [
  { name: "hold-flow", by: "attacker", weight: 8, run: holdFlow },
  { name: "replay-callback", by: "attacker", weight: 5, run: replayCallback },
  {
    name: "inject-code",
    by: "attacker",
    weight: 4,
    // Soon, or its owner uses the code.
    isUrgent: ({ knowledge }) => knowledge.callbacks.length > 0,
    run: injectCode,
  },
  { name: "change-identity", by: "attacker", weight: 5, run: changeIdentity },
  { name: "claim-address", by: "attacker", weight: 2, run: claimAddress },
  { name: "answer-as-another", by: "attacker", weight: 2, run: answerAsAnother },
  { name: "guess-password", by: "attacker", weight: 4, run: guessPassword },
  { name: "replay-passkey", by: "attacker", weight: 4, run: replayPasskey },
]

/** Begins a sign-in, agrees at the provider with one of two accounts, and keeps the answer instead of completing it. */
async function holdFlow(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const provider = world.providerOf(choose.pick(["north", "south"]))
  const tab = ownTab(actor)
  actor.say(`${person.name} begins a sign-in with ${provider.id} and stops before the callback.`)
  const csrfToken = await tab.csrfToken()
  const body = new URLSearchParams({ csrfToken, callbackUrl: "/" })
  const headers = { "x-auth-return-redirect": "1" }
  const response = await tab.fetch(`/auth/signin/${provider.id}`, { method: "POST", body, headers })
  const authorizeUrl = new URL(String(Object(await response.json()).url))
  const browser = world.browserOf(person)
  const own = provider.identityOf(person)
  // An account at the provider with an address of its own may have no user yet.
  const other = { ...own, sub: `${own.sub}-3`, email: "mallory-2@mail.test" }
  const identity = choose.pick([browser.identities.get(provider.id) ?? own, other])
  const callbackUrl = provider.authorize(authorizeUrl, identity).href
  world.knowledge.flows.push({
    provider: provider.id,
    authorizeUrl: authorizeUrl.href,
    callbackUrl,
    cookies: copyCookies(browser),
  })
}

/** One of the sign-ins that the attacker held last. */
export function newestFlow({ world, choose }: Actor): HeldFlow {
  return choose.pick(world.knowledge.flows.slice(-3).toReversed())
}

/**
 * Sends a callback again, with the cookies that belonged to it: once, or twice at once with a code each, because a check
 * and a write in two steps let both through.
 */
async function replayCallback(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const flow = newestFlow(actor)
  const provider = world.providerOf(flow.provider)
  const identity = world.browserOf(person).identities.get(flow.provider) ?? provider.identityOf(person)
  // A new code for the old flow: the attacker can open the authorization URL as often as they like.
  const fresh = provider.authorize(new URL(flow.authorizeUrl), identity).href
  const urls = choose.pick([[flow.callbackUrl], [fresh], [flow.callbackUrl, fresh]])
  const times = urls.length > 1 ? "twice at once" : "once"
  actor.say(`${person.name} sends the callback of ${flow.provider} ${times}, with copied cookies.`)
  restoreCookies(world.browserOf(person), flow.cookies)
  await together(urls.map((url) => ownTab(actor).open(url)))
}

async function openWithCookies({ world, person }: Actor, url: string, { cookies }: HeldFlow): Promise<void> {
  restoreCookies(world.browserOf(person), cookies)
  await ownTab({ world, person }).open(url)
}

/** Puts a code that leaked from a victim's browser into an own flow. */
async function injectCode(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { callbacks, flows } = world.knowledge
  const leaked = new URL(choose.pick(callbacks.slice(-4).toReversed()))
  callbacks.splice(callbacks.indexOf(leaked.href), 1)
  const fitting = flows.filter(({ callbackUrl }) => new URL(callbackUrl).pathname === leaked.pathname)
  const flow = choose.pick(fitting.slice(-2).toReversed())
  actor.say(`${person.name} puts a leaked code of ${leaked.pathname} into an own flow at ${flow.provider}.`)
  const url = new URL(flow.callbackUrl)
  url.searchParams.set("code", leaked.searchParams.get("code") ?? "")
  await openWithCookies(actor, choose.pick([url.href, leaked.href]), flow)
}

/** Signs in at a provider as someone that the provider lets the attacker be. */
async function changeIdentity(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const provider = world.providerOf(choose.pick(["south", "north"]))
  const victim = choose.pick(world.victims)
  const own = provider.identityOf(person)
  // Where the host links by address, it vouches that the provider never omits the claim for unverified ones.
  const claims = provider.id === "south" && world.setting.isEmailLinked ? [false] : [false, undefined]
  const identities = [
    ...claims.map((isEmailVerified) => ({ ...own, sub: `${own.sub}-2`, email: victim.email, isEmailVerified })),
    { ...own, sub: `${own.sub}-3`, email: "mallory-2@mail.test" },
    { ...own, sub: `${own.sub}-4` },
    own,
    ...(provider.isCompromised
      ? [
          { ...own, sub: subjectOf(victim, "north"), email: "mallory-3@mail.test" },
          { ...own, sub: subjectOf(victim, "north"), email: victim.email, isEmailVerified: false },
        ]
      : []),
  ]
  const identity = choose.pick(identities)
  actor.say(`${person.name} signs in at ${provider.id} as ${identity.sub} with the address ${identity.email}.`)
  world.browserOf(person).identities.set(provider.id, identity)
  if (choose.pick([true, false])) await ownTab(actor).signIn(provider.id)
}

/** Signs up with a passkey and a victim's address. */
async function claimAddress(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const email = choose.pick([...world.victims, person]).email
  const tab = ownTab(actor)
  actor.say(`${person.name} signs up with a passkey and the address ${email}.`)
  const answer = await createPasskey(world, person, await passkeyOptions(tab, { action: "register", email }))
  await sendPasskey(tab, "register", answer)
}

/** Asks for a passkey as one user, and lets the device answer as another. */
async function answerAsAnother(actor: Actor): Promise<void> {
  const { world, person } = actor
  const tab = ownTab(actor)
  const provider = world.providerOf("north")
  actor.say(`${person.name} asks for a passkey, signs in as another user, and lets the device answer then.`)
  const options = await passkeyOptions<CreationOptionsJson>(tab, { action: "register" })
  const own = provider.identityOf(person)
  const identity = { ...own, sub: `${own.sub}-3`, email: "mallory-2@mail.test" }
  world.browserOf(person).identities.set(provider.id, identity)
  await tab.signIn(provider.id)
  await sendPasskey(tab, "register", await createPasskey(world, person, options))
}

const guessesPerMove = 24

/** Letters that nobody sees, and that URL parsers drop from a domain. */
const fillers = ["\u115f", "\u1160", "\u3164", "\uffa0"] as const
const dots = [".", "\u3002", "\uff61"] as const

/** Spells an address or a user name so that it still means the same account: each number gives another spelling. */
function spell(name: string, number: number): string {
  const position = name.indexOf("@") + 2 + (Math.floor(number / fillers.length) % (guessesPerMove / fillers.length))
  const filled = `${name.slice(0, position)}${fillers[number % fillers.length]}${name.slice(position)}`
  const dotted = filled.replaceAll(".", dots[number % dots.length] ?? ".")
  return number % 2 === 0 ? ` ${dotted.toUpperCase()}` : dotted
}

/** Whose password is guessed, and how the name is written. */
const spellings = ["the name", "many spellings of the name", "made-up names", "the user id"] as const

/** Guesses passwords, from one network or, as with many machines, from six. */
async function guessPassword(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { email: address, password: own, ...victim } = world.victims.find(({ password }) => password) ?? person
  const field = world.setting.hasPasswords ? "email" : "username"
  const named = (field === "email" ? address : own?.username) ?? ""
  const kind = choose.pick(spellings)
  const first = choose.pick([9, 10, 11, 12, 13, 14, 15, 16])
  const networks = choose.pick([6, 1])
  const run = choose.pick([1, 2, 3])
  const tab = ownTab(actor)
  const names: Readonly<Record<(typeof spellings)[number], (guess: number) => string>> = {
    "the name": () => named,
    "many spellings of the name": (guess) => spell(named, guess),
    "made-up names": (guess) => `name-${guess}-${run}${field === "email" ? "@mail.test" : ""}`,
    "the user id": () => passwordUserId(victim),
  }
  actor.say(`${person.name} guesses passwords from ${networks} other networks: by ${kind}.`)
  const csrfToken = await tab.csrfToken()
  for (let guess = 0; guess < guessesPerMove; guess++) {
    world.browserOf(person).network.address = `198.51.100.${first + (guess % networks)}`
    const body = new URLSearchParams({ csrfToken, [field]: names[kind](guess), password: `guess ${guess}` })
    await tab.fetch("/auth/callback/password", { method: "POST", body })
  }
}

/** Sends an answer of the own device again. */
async function replayPasskey(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  if (world.knowledge.assertions.length === 0) {
    choose.pick(person.device.credentials)
    actor.say(`${person.name} signs in with passkey.`)
    await signInWith(actor, "passkey", ownTab(actor))
  }
  const { answer, cookies } = choose.pick(world.knowledge.assertions.slice(-3).toReversed())
  const times = choose.pick([1, 2])
  actor.say(`${person.name} sends an answer of the device once more, with copied cookies.`)
  restoreCookies(world.browserOf(person), cookies)
  await together(Array.from({ length: times }, () => sendPasskey(ownTab(actor), "authenticate", answer)))
}
