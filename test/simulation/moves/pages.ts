import { isDead } from "../model.js"
import { appOrigin, evilOrigin, type Person, siblingOrigin } from "../people.js"
import type { CopiedCookies, World } from "../world.js"
import { newestFlow } from "./attack.js"
import { submitSignIn } from "./honest.js"
import type { Actor, Move } from "./move.js"
import { askingUrl } from "./native.js"
import { passwordFields } from "./passwords.js"
import { type Fields, ownTab, victimTab } from "./tabs.js"

/** What pages of other origins do in a victim's browser. */
export const pageMoves: readonly Move[] = [
  { name: "plant-flow", by: "attacker", weight: 8, run: plantFlow },
  { name: "plant-noise", by: "attacker", weight: 2, run: plantNoise },
  { name: "plant-session", by: "attacker", weight: 8, run: plantSession },
  { name: "lure", by: "attacker", weight: 8, run: lure },
  { name: "forge-post", by: "attacker", weight: 3, run: forgePost },
  { name: "frame", by: "attacker", weight: 3, run: frame },
  { name: "steer-callback-url", by: "attacker", weight: 5, run: steerCallbackUrl },
]

/**
 * A page of the sibling subdomain sets the attacker's own cookies, under their own names, for the parent domain. It may go on
 * to an address of the flow at once, before another answer takes its place.
 */
async function plantFlow(actor: Actor): Promise<void> {
  const flow = newestFlow(actor)
  const { victim, tab } = victimTab(actor)
  const path = actor.choose.pick(["/", "/auth", "/auth/callback"])
  const next = actor.choose.pick([null, flow.callbackUrl, flow.authorizeUrl])
  actor.say(
    `${siblingOrigin} sets the cookies of ${actor.person.name}'s flow at ${flow.provider} in ${victim.person.name}'s browser${next === null ? "" : `, and opens ${next}`}.`,
  )
  for (const { name, value } of flow.cookies) victim.plant(`${name}=${value}; Domain=corp.test; Path=${path}; Secure`)
  if (next !== null) await tab.open(next, { from: siblingOrigin })
}

async function plantNoise(actor: Actor): Promise<void> {
  const { victim } = victimTab(actor)
  const name = actor.choose.pick(["__Secure-authjs.callback-url", "__Secure-authjs.challenge", "__Secure-authjs.state"])
  const value = actor.choose.pick(["x", ...[evilOrigin, "//evil.test", `${appOrigin}/a`].map(encodeURIComponent)])
  actor.say(`${siblingOrigin} sets the cookie ${name} in ${victim.person.name}'s browser.`)
  victim.plant(`${name}=${value}; Domain=corp.test; Path=/auth; Secure`)
}

/**
 * The sibling sets cookies that look like the session: noise, or a session of the attacker that is over, under the plain
 * name or as one of its parts. A session of the attacker that lives is out of scope: SECURITY.md tells what it does.
 */
async function plantSession(actor: Actor): Promise<void> {
  const { world, choose } = actor
  choose.pick(world.setting.isSessionPlantable ? [true] : [])
  const { victim } = victimTab(actor)
  const ended = endedSessions(world, victim.sessionCookie)
  const { name, value } = choose.pick([
    ...ended,
    ...["", ".0", ".1", ".9"].map((part) => ({ name: `${victim.sessionCookie}${part}`, value: "x" })),
    { name: `${victim.sessionCookie}.0`, value: "x".repeat(3936) },
  ])
  const path = choose.pick(["/", "/auth", "/auth/session", "/auth/callback"])
  actor.say(`${siblingOrigin} sets the cookie ${name} in ${victim.person.name}'s browser.`)
  victim.plant(`${name}=${value}; Domain=corp.test; Path=${path}; Secure`)
}

/** The cookies of sessions of the attacker's users that are over. */
function endedSessions({ model, attacker }: World, sessionCookie: string): readonly CopiedCookies[number][] {
  const ended = [...model.sessions].filter(
    ([value, { userId }]) => model.users.get(userId)?.owner === attacker && isDead(model, value),
  )
  return ended.slice(-2).flatMap(([value, { parts }]) => {
    if (parts.length === 0) return [{ name: sessionCookie, value }]
    return parts.map((part) => ({ name: part.slice(0, part.indexOf("=")), value: part.slice(part.indexOf("=") + 1) }))
  })
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
    // A mailed link of the attacker's own address: the page behind it names the address.
    ...world.model.mails
      .filter(({ to, provider }) => to === actor.person.email && provider === "mail")
      .slice(-2)
      .map(({ url }) => url),
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

/** What the forms of the account area need to have an effect. */
const areaForms: Readonly<Record<string, (victim: Person, attacker: Person) => Fields>> = {
  "account/delete": ({ email }) => ({ action: "delete", confirm: email }),
  "account/profile": () => ({ action: "save", name: "Someone else" }),
  "account/email": (_, { otherEmail }) => ({ action: "send", email: otherEmail }),
}

/** A page posts a form to the service in a victim's browser, as a navigation or into a frame. */
async function forgePost(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { victim, tab } = victimTab(actor)
  const path = choose.pick([
    "signout",
    "signin/north",
    "callback/password",
    "signin/mail",
    "session",
    "callback/mail",
    "account/sessions",
    ...(world.setting.hasAccountArea ? [...Object.keys(areaForms), ...Object.keys(areaForms)] : []),
  ])
  const csrfToken = choose.pick([await ownTab({ world, person }).csrfToken(), ""])
  const from = choose.pick([evilOrigin, siblingOrigin])
  const isFramed = choose.pick([false, true])
  actor.say(
    `A page at ${from} posts a form to ${path}${isFramed ? " in a frame" : ""} in ${victim.person.name}'s browser.`,
  )
  const mail = world.model.mails.findLast(({ to, provider }) => to === person.email && provider === "mail")
  const body = new URLSearchParams({
    csrfToken,
    email: person.email,
    ...passwordFields(world, person),
    callbackUrl: evilOrigin,
    action: "end-others",
    ...areaForms[path]?.(victim.person, person),
    ...(mail && { token: mail.token }),
  })
  if (isFramed) await victim.openFrame(`${appOrigin}/auth/${path}`, { from, body })
  else await tab.open(`/auth/${path}`, { method: "POST", body, from })
}

const framedPages = [
  "signin",
  "signout",
  "verify-request",
  "error?error=Verification",
  "callback/north",
  "nonsense",
  "account/email/undo",
]

/** A page loads one of ours in a frame, to have the victim press its buttons unseen. */
async function frame(actor: Actor): Promise<void> {
  const { world, choose } = actor
  const { victim } = victimTab(actor)
  const callbacks = world.knowledge.flows.slice(-2).map(({ callbackUrl }) => callbackUrl)
  const asking = world.setting.hasNativeApps ? [`${appOrigin}${askingUrl(actor)}`] : []
  const url = choose.pick([
    ...framedPages.map((path) => `${appOrigin}/auth/${path}`),
    ...callbacks,
    ...asking,
    ...asking,
  ])
  const from = choose.pick([evilOrigin, siblingOrigin])
  actor.say(`A page at ${from} loads ${url} in a frame in ${victim.person.name}'s browser.`)
  await victim.openFrame(url, { from })
}

const steeredUrls = [
  "//evil.test",
  "/\\evil.test",
  "/%09/evil.test",
  "https://evil.test/",
  "https://app.corp.test@evil.test/",
]

/**
 * A link to a sign-in page that remembers where to go afterwards: the built-in one, or one of the host, which passes the
 * target on. The attacker follows it, too: where it leads to is the same for everyone.
 */
async function steerCallbackUrl(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const target = choose.pick(steeredUrls)
  const path = `/auth/signin?${new URLSearchParams({ callbackUrl: target })}`
  const how = choose.pick(["the host's page", "the page", "a victim", "the host's page"])
  if (how === "a victim") {
    const { victim, tab } = victimTab(actor)
    actor.say(`A link makes ${victim.person.name}'s browser open the sign-in page with callbackUrl=${target}.`)
    await tab.open(path, { from: evilOrigin })
    return
  }
  actor.say(`${person.name} signs in by a link to ${how} with callbackUrl=${target}.`)
  const tab = ownTab(actor)
  if (how === "the host's page") {
    await tab.signIn("password", { callbackUrl: target, ...passwordFields(world, person) })
    return
  }
  await tab.open(path, { from: evilOrigin })
  await submitSignIn(actor, choose.pick(["password", "north", "south"]), tab)
}
