import { toStoredId } from "../../packages/testkit/src/authenticator/software-authenticator.js"
import { isReserved } from "./account-writes.js"
import type { Activity } from "./activity.js"
import type { UserFacts } from "./facts.js"
import { hasPasskey, type Model } from "./model.js"
import { typeCode } from "./moves/codes.js"
import { factorsOf, giveSecondFactor, isFactorForeign } from "./moves/factors.js"
import { signInWith, waysOf } from "./moves/honest.js"
import { createChoices } from "./moves/move.js"
import { signInAppWith } from "./moves/native.js"
import { findOwnPassword } from "./moves/passwords.js"
import { ownsMailbox, type Person } from "./people.js"
import type { Scheduler } from "./scheduler.js"
import { ownSessionCookies } from "./session-cookie.js"
import type { VisitorTab } from "./visitor-browser.js"
import type { World } from "./world.js"

interface Pace {
  readonly start: Scheduler["start"]
  settle(): Promise<void>
  runToEnd(activity: Activity): Promise<void>
}

const dayMs = 25 * 60 * 60 * 1000
const firstId = 1_000_000

/**
 * The attacker goes home and nothing fails any more: everyone signs in with everything that they signed in with before,
 * in the browser that they have by now.
 */
export async function checkLiveness(world: World, pace: Pace): Promise<void> {
  world.advance(dayMs)
  world.knowledge.isListening = false
  const sessions = { id: firstId }
  for (const person of world.victims) {
    for (const way of waysOf(world, person)) {
      const user = findUser(world, person, way)
      if (user === null || world.model.violations.length > 0) continue
      world.advance(dayMs / 24)
      await assertWorks(world, pace, { person, way, ...user, id: sessions.id++, userId: user.id })
    }
    const owned = findByMailbox(world, person)
    if (owned && world.model.violations.length === 0) {
      world.advance(dayMs / 24)
      await assertWorks(world, pace, { person, way: "mail", ...owned, id: sessions.id++ })
    }
    await assertAppWorks(world, pace, person, sessions.id++)
  }
}

/** Whoever signed in to an app signs in to it again. */
async function assertAppWorks(world: World, pace: Pace, person: Person, id: number): Promise<void> {
  const way = world.model.reached.has(`${person.name} north`) ? "north" : null
  const user = way && findUser(world, person, way)
  if (!user || world.tokensOf(person).length === 0 || world.model.violations.length > 0) return
  const seen = { count: world.tokensOf(person).length }
  world.advance(dayMs / 24)
  const activity = pace.start({ id, name: "sign-in to an app", person }, async () => {
    const tab = world.browserOf(person).newTab()
    world.tale.say(world.scheduler.running()?.activity, `Left alone, ${person.name} signs in to an app.`)
    await tab.signOut()
    await signInWith({ world, person }, "north", tab)
    await giveSecondFactor(world, person, user.id, tab)
    await signInAppWith({ world, person, choose: createChoices([0]), say: () => {} }, tab)
  })
  await pace.settle()
  await pace.runToEnd(activity)
  if (world.model.violations.length > 0 || world.tokensOf(person).length > seen.count) return
  const sentence = `${person.name} could not sign in to an app though nothing disturbed it: ${activity.failure}.`
  world.model.violations.push({ rule: "liveness", sentence })
}

/** The user that this way leads to. Null if the person never got anywhere with it. */
function findUser(world: World, person: Person, way: string): UserFacts | null {
  const { model } = world
  const userId = model.reached.get(`${person.name} ${way}`)
  const user = userId === undefined ? undefined : model.users.get(userId)
  if (!user || user.owner !== person || user.isDeleted) return null
  // Who got into the account lawfully can lock its owner out of it.
  if (user.isExposed && isFactorForeign(world, user.id, person)) return null
  const isUnlinked = [...model.area.unlinked].some(
    ([key, facts]) => facts.userId === userId && key.startsWith(`${way} `),
  )
  return isUnlinked || !canUse(world, person, way, user) ? null : user
}

/** Whether the person still has what this way asks for. */
function canUse(world: World, person: Person, way: string, user: UserFacts): boolean {
  const { model, setting } = world
  // A request that died could not take back a user with an address that another one had given up: see the decision.
  const isHeld = isReserved(model, { email: user.email, userId: user.id, arrivedMs: model.now() })
  if (way !== "passkey" && !canGiveSecond(world, person, user)) return false
  switch (way) {
    case "mail":
    case "code":
      // Who got into the account lawfully can give it another address.
      return ownsMailbox(person, user.email) && !isHeld
    case "password":
      return !isHeld && (!setting.hasPasswords || findOwnPassword(world, person) === model.passwords.get(user.id))
    case "passkey": {
      // A device offers its newest passkey. The service may have refused it, or have lost it or its account by a fault.
      const newest = toStoredId(person.device.credentials.at(-1)?.id ?? "")
      return model.accounts.get(`passkey ${newest}`) === user.id && model.passkeys.get(newest) === user.id
    }
    default:
      return true
  }
}

/** Where everyone needs a second factor, a user with a passkey gives that. A device offers its newest one. */
function canGiveSecond(world: World, person: Person, { id }: UserFacts): boolean {
  const { model, setting } = world
  const hasApp = factorsOf(world, { person }).some(({ userId }) => userId === id)
  if (!setting.isFactorRequired || hasApp || !hasPasskey(model, id)) return true
  const newest = toStoredId(person.device.credentials.at(-1)?.id ?? "")
  return model.accounts.get(`passkey ${newest}`) === id && model.passkeys.get(newest) === id
}

interface Attempt {
  readonly person: Person
  readonly way: string
  readonly email: string
  /** The user that it leads to. Null: a new one. */
  readonly userId: string | null
  readonly id: number
}

/**
 * What a person reaches who proves their mailbox: a new user, one whose address is verified, or one whose sign-up was
 * interrupted. Null if someone may hold the address without having verified it, or may lawfully have changed the user.
 */
function findByMailbox({ model, setting }: World, person: Person): Pick<Attempt, "email" | "userId"> | null {
  const { email } = person
  const [user, ...others] = [...model.users.values()].filter((each) => each.email === email && !each.isDeleted)
  const isHeld = isReserved(model, { email, userId: user?.id ?? "", arrivedMs: model.now() })
  if (isHeld || others.length > 0) return null
  if (!user) return { email, userId: null }
  if (user.owner !== person || user.isExposed) return null
  // Without a record of every way in, as with passwords of the host, nothing tells that there is none.
  const isUnfinished = setting.hasPasswords && !hasWayIn(model, user.id)
  return user.isAddressProven || isUnfinished ? { email, userId: user.id } : null
}

function hasWayIn({ accounts, passkeys, passwords, factors, records }: Model, userId: string): boolean {
  const isOwn = (owner: string | { readonly userId: string }) =>
    owner === userId || (typeof owner === "object" && owner.userId === userId)
  const owned = [accounts, passkeys, factors, records].flatMap((rows) => [...rows.values()])
  return passwords.has(userId) || owned.some(isOwn)
}

async function assertWorks(world: World, pace: Pace, { person, way, email, userId, id }: Attempt): Promise<void> {
  const browser = world.browserOf(person)
  const seen: { session: unknown } = { session: null }
  const activity = pace.start({ id, name: `sign-in with ${way}`, person }, async () => {
    world.tale.say(world.scheduler.running()?.activity, `Left alone, ${person.name} signs out, and in with ${way}.`)
    const tab: VisitorTab = browser.newTab()
    if (ownSessionCookies(browser.sessionCookie, browser.jar.list()).length > 0) await tab.signOut()
    await signInWith({ world, person }, way, tab, email)
    const mail = world.model.mails.findLast(({ to, provider }) => to === email && provider === way)
    if (mail?.code !== undefined && world.setting.isLinkClosed) await typeCode(tab, mail.code)
    else if (mail) await tab.open(mail.url)
    await giveSecondFactor(world, person, userId ?? "", tab)
    seen.session = await tab.session()
  })
  await pace.settle()
  await pace.runToEnd(activity)
  if (world.model.violations.length > 0) return
  const signedIn = Object(Object(seen.session).user).id
  if (userId === null ? signedIn !== undefined : signedIn === userId) return
  const end = activity.failure === undefined ? `ended as ${signedIn ?? "no one"}` : `failed: ${activity.failure}`
  world.model.violations.push({
    rule: "liveness",
    sentence: `${person.name} could not sign in with ${way} though nothing disturbed it: it ${end}.`,
  })
}
