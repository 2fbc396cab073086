import { toStoredId } from "../../authenticator/software-authenticator.js"
import type { CreationOptionsJson } from "../../authenticator/webauthn-types.js"
import { sessionCookie } from "../instance.js"
import { appOrigin, evilOrigin, siblingOrigin, subjectOf } from "../people.js"
import type { VisitorBrowser, VisitorTab } from "../visitor-browser.js"
import type { HeldFlow } from "../world.js"
import { copyCookies, restoreCookies } from "./cookies.js"
import { passkeyOptions, sendPasskey } from "./honest.js"
import type { Actor, Move } from "./move.js"

/** What the attacker does. Each move is simple; the scheduler combines them. */
export const attackMoves: readonly Move[] = [
  { name: "hold-flow", by: "attacker", weight: 8, run: holdFlow },
  { name: "plant-flow", by: "attacker", weight: 8, run: plantFlow },
  { name: "plant-noise", by: "attacker", weight: 2, run: plantNoise },
  { name: "lure", by: "attacker", weight: 8, run: lure },
  { name: "forge-post", by: "attacker", weight: 3, run: forgePost },
  { name: "replay-callback", by: "attacker", weight: 4, run: replayCallback },
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
  { name: "request-mail", by: "attacker", weight: 2, run: requestMail },
  { name: "bend-mail-link", by: "attacker", weight: 4, run: bendMailLink },
  { name: "guess-code", by: "attacker", weight: 1, run: guessCode },
  { name: "guess-password", by: "attacker", weight: 4, run: guessPassword },
  { name: "replay-passkey", by: "attacker", weight: 2, run: replayPasskey },
  { name: "steal-session", by: "attacker", weight: 4, run: stealSession },
  { name: "use-stolen-session", by: "attacker", weight: 6, run: useStolenSession },
  { name: "use-stolen-hash", by: "attacker", weight: 2, run: useStolenHash },
  { name: "steer-callback-url", by: "attacker", weight: 5, run: steerCallbackUrl },
]

function ownTab({ world, person }: Pick<Actor, "world" | "person">): VisitorTab {
  const browser = world.browserOf(person)
  return browser.tabs[0] ?? browser.newTab()
}

function victimTab({ world, choose }: Actor): { readonly victim: VisitorBrowser; readonly tab: VisitorTab } {
  const victim = world.browserOf(choose.pick(world.victims))
  return { victim, tab: choose.pick(victim.tabs) }
}

/** Begins a sign-in, agrees at the provider, and keeps the answer instead of completing it. */
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
  const identity = browser.identities.get(provider.id) ?? provider.identityOf(person)
  const callbackUrl = provider.authorize(authorizeUrl, identity).href
  world.knowledge.flows.push({
    provider: provider.id,
    authorizeUrl: authorizeUrl.href,
    callbackUrl,
    cookies: copyCookies(browser),
  })
}

function newestFlow({ world, choose }: Actor): HeldFlow {
  return choose.pick(world.knowledge.flows.slice(-3).toReversed())
}

/** A page of the sibling subdomain sets the attacker's own cookies, under their own names, for the parent domain. */
async function plantFlow(actor: Actor): Promise<void> {
  const flow = newestFlow(actor)
  const { victim } = victimTab(actor)
  const path = actor.choose.pick(["/", "/auth", "/auth/callback"])
  actor.say(
    `${siblingOrigin} sets the cookies of ${actor.person.name}'s flow at ${flow.provider} in ${victim.person.name}'s browser.`,
  )
  for (const { name, value } of flow.cookies) victim.plant(`${name}=${value}; Domain=corp.test; Path=${path}; Secure`)
}

async function plantNoise(actor: Actor): Promise<void> {
  const { victim } = victimTab(actor)
  const name = actor.choose.pick(["__Secure-authjs.callback-url", "__Secure-authjs.challenge", "__Secure-authjs.state"])
  const value = actor.choose.pick(["x", encodeURIComponent(evilOrigin), encodeURIComponent(`${appOrigin}/a`)])
  actor.say(`${siblingOrigin} sets the cookie ${name} in ${victim.person.name}'s browser.`)
  victim.plant(`${name}=${value}; Domain=corp.test; Path=/auth; Secure`)
}

/** A page makes a victim's browser navigate. */
async function lure(actor: Actor): Promise<void> {
  const { world, choose } = actor
  const { victim, tab } = victimTab(actor)
  const flows = world.knowledge.flows.slice(-3).toReversed()
  const targets = [
    ...flows.map(({ callbackUrl }) => callbackUrl),
    ...flows.map(({ callbackUrl }) => callbackUrl),
    ...flows.map(({ authorizeUrl }) => authorizeUrl),
    `${appOrigin}/auth/signout`,
    `${appOrigin}/auth/signin/north`,
    ...flows.map(({ callbackUrl, provider }) =>
      callbackUrl.replace(`/${provider}?`, provider === "north" ? "/south?" : "/north?"),
    ),
  ]
  const url = choose.pick(targets)
  const from = choose.pick([evilOrigin, siblingOrigin])
  actor.say(`A page at ${from} makes ${victim.person.name}'s browser open ${url}.`)
  await tab.open(url, { from })
}

/** A page posts a form to the service in a victim's browser. */
async function forgePost(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { victim, tab } = victimTab(actor)
  const path = choose.pick(["signout", "signin/north", "callback/password", "signin/mail", "session"])
  const csrfToken = choose.pick([await ownTab({ world, person }).csrfToken(), ""])
  const from = choose.pick([evilOrigin, siblingOrigin])
  actor.say(`A page at ${from} posts a form to ${path} in ${victim.person.name}'s browser.`)
  const body = new URLSearchParams({ csrfToken, email: person.email, ...person.password, callbackUrl: evilOrigin })
  await tab.open(`/auth/${path}`, { method: "POST", body, from })
}

/** Sends a callback again, with the cookies that belonged to it. */
async function replayCallback(actor: Actor): Promise<void> {
  const { world, person } = actor
  const flow = newestFlow(actor)
  actor.say(`${person.name} sends the callback of ${flow.provider}, with copied cookies.`)
  const provider = world.providerOf(flow.provider)
  const identity = world.browserOf(person).identities.get(flow.provider) ?? provider.identityOf(person)
  // A new code for the old flow: the attacker can open the authorization URL as often as they like.
  const fresh = provider.authorize(new URL(flow.authorizeUrl), identity).href
  await openWithCookies(actor, actor.choose.pick([flow.callbackUrl, fresh]), flow)
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
    { ...own, sub: `${own.sub}-2`, email: victim.email, isEmailVerified: choose.pick(claims) },
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
}

/** Signs up with a passkey and a victim's address. */
async function claimAddress(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const email = choose.pick([...world.victims, person]).email
  const tab = ownTab(actor)
  actor.say(`${person.name} signs up with a passkey and the address ${email}.`)
  const options = await passkeyOptions<CreationOptionsJson>(tab, { action: "register", email })
  const made = await person.device.create(options)
  world.model.passkeyOwners.set(toStoredId(made.id), person)
  const answer = JSON.stringify(made)
  world.model.assertions.set(answer, person)
  await sendPasskey(tab, "register", answer)
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
  const mails = world.model.mails
    .filter(({ to }) => to === person.email)
    .slice(-3)
    .toReversed()
  const mail = choose.pick(mails)
  const url = new URL(mail.url)
  const change = choose.pick(["provider", "address", "no address", "head", "prefetch"])
  actor.say(`${person.name} opens a link from ${mail.provider} with another ${change}.`)
  if (change === "provider") url.pathname = mail.provider === "mail" ? "/auth/callback/code" : "/auth/callback/mail"
  if (change === "address") url.searchParams.set("email", choose.pick(world.victims).email)
  if (change === "no address") url.searchParams.delete("email")
  const headers = change === "prefetch" ? { "sec-purpose": "prefetch" } : {}
  await ownTab(actor).open(url, { method: change === "head" ? "HEAD" : "GET", headers })
}

const guesses = 8

async function guessCode(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { email } = choose.pick(world.victims)
  const provider = choose.pick(["code", "mail"])
  actor.say(`${person.name} guesses codes that were sent to ${email}.`)
  for (let guess = 0; guess < guesses; guess++) {
    const query = new URLSearchParams({ email, token: String(100_000 + guess) })
    await ownTab(actor).open(`/auth/callback/${provider}?${query}`)
  }
}

async function guessPassword(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const named = world.victims.find(({ password }) => password)?.password?.username ?? ""
  const isMadeUp = choose.pick([false, true])
  world.browserOf(person).network.address = `198.51.100.${choose.pick([9, 10, 11, 12, 13, 14, 15, 16])}`
  const tab = ownTab(actor)
  actor.say(`${person.name} guesses the passwords of ${isMadeUp ? "made-up names" : named} from another network.`)
  const csrfToken = await tab.csrfToken()
  for (let guess = 0; guess < guesses * 3; guess++) {
    const username = isMadeUp ? `name-${guess}-${choose.pick([1, 2, 3])}` : named
    const body = new URLSearchParams({ csrfToken, username, password: `guess ${guess}` })
    await tab.fetch("/auth/callback/password", { method: "POST", body })
  }
}

async function replayPasskey(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { answer, cookies } = choose.pick(world.knowledge.assertions.slice(-3).toReversed())
  actor.say(`${person.name} sends an answer of the device once more, with copied cookies.`)
  restoreCookies(world.browserOf(person), cookies)
  await sendPasskey(ownTab(actor), "authenticate", answer)
}

async function stealSession(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const victim = choose.pick(world.setting.isSessionStolen ? world.victims : [])
  const cookie = world
    .browserOf(victim)
    .jar.list()
    .find(({ name }) => name === sessionCookie)
  const { value } = choose.pick(cookie ? [cookie] : [])
  actor.say(`${person.name} gets a copy of ${victim.name}'s session cookie.`)
  world.knowledge.sessions.push(value)
  const userId = world.model.sessions.get(decodeURIComponent(value))?.userId ?? ""
  const user = world.model.users.get(userId)
  if (user) user.isExposed = true
}

/** Puts a stolen cookie into the own browser, and acts. */
async function useStolenSession(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const value = choose.pick(world.knowledge.sessions.slice(-3).toReversed())
  const { jar } = world.browserOf(person)
  const place = { domain: "app.corp.test", isHostOnly: true, path: "/", isSecure: true, isHttpOnly: true } as const
  const act = choose.pick(["reads the session", "links an account", "adds a passkey"])
  actor.say(`${person.name} uses the stolen session cookie, and ${act}.`)
  jar.put({ name: sessionCookie, value, ...place, sameSite: "Lax", expiresAt: null })
  const tab = ownTab(actor)
  if (act === "reads the session") await tab.session()
  else if (act === "links an account") await tab.signIn("north")
  else await claimAddress(actor)
}

async function useStolenHash(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { identifier, token } = choose.pick(world.knowledge.hashes.slice(-3).toReversed())
  actor.say(`${person.name} tries a hash from the stolen store as the token for ${identifier}.`)
  const query = new URLSearchParams({ email: identifier, token })
  await ownTab(actor).open(`/auth/callback/mail?${query}`)
}

const steeredUrls = [
  "//evil.test",
  "/\\evil.test",
  "/%09/evil.test",
  "https://evil.test/",
  "https://app.corp.test@evil.test/",
]

/** A link to the sign-in page that remembers where to go afterwards. */
async function steerCallbackUrl(actor: Actor): Promise<void> {
  const { victim, tab } = victimTab(actor)
  const target = actor.choose.pick(steeredUrls)
  actor.say(`A link makes ${victim.person.name}'s browser open the sign-in page with callbackUrl=${target}.`)
  await tab.open(`/auth/signin?${new URLSearchParams({ callbackUrl: target })}`, { from: evilOrigin })
}
