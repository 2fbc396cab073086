import type { Activity } from "./activity.js"
import { sessionCookie } from "./instance.js"
import { signInWith, waysOf } from "./moves/honest.js"
import { type Person, subjectOf } from "./people.js"
import type { Scheduler } from "./scheduler.js"
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
  const sessions = { id: firstId }
  for (const person of world.victims) {
    for (const way of waysOf(world, person)) {
      const userId = findUser(world, person, way)
      if (userId === null || world.model.violations.length > 0) continue
      world.advance(dayMs / 24)
      await assertWorks(world, pace, { person, way, userId, id: sessions.id++ })
    }
  }
}

/** The user that this way leads to. Null if the person never got anywhere with it. */
function findUser({ model, victims }: World, person: Person, way: string): string | null {
  const own = [...model.users.values()].find(
    ({ owner, isDeleted, isExposed }) => owner === person && !isDeleted && !isExposed,
  )
  if (!own || !victims.includes(person)) return null
  if (way === "password") return own.bornIn === null ? own.id : null
  if (way === "north" || way === "south") {
    const userId = model.accounts.get(`${way} ${subjectOf(person, way)}`)
    return userId !== undefined && model.users.get(userId)?.owner === person ? userId : null
  }
  return null
}

interface Attempt {
  readonly person: Person
  readonly way: string
  readonly userId: string
  readonly id: number
}

async function assertWorks(world: World, pace: Pace, { person, way, userId, id }: Attempt): Promise<void> {
  const browser = world.browserOf(person)
  const seen: { session: unknown } = { session: null }
  const activity = pace.start({ id, name: `sign-in with ${way}`, person }, async () => {
    world.tale.say(world.scheduler.running()?.activity, `Left alone, ${person.name} signs out, and in with ${way}.`)
    const tab: VisitorTab = browser.newTab()
    if (browser.jar.list().some(({ name }) => name === sessionCookie)) await tab.signOut()
    await signInWith({ world, person }, way, tab)
    seen.session = await tab.session()
  })
  await pace.settle()
  await pace.runToEnd(activity)
  if (world.model.violations.length > 0) return
  const signedIn = Object(Object(seen.session).user).id
  if (signedIn === userId) return
  const end = activity.failure === undefined ? `ended as ${signedIn ?? "nobody"}` : `failed: ${activity.failure}`
  world.model.violations.push({
    rule: "liveness",
    sentence: `${person.name} could not sign in with ${way} though nothing disturbed it: it ${end}.`,
  })
}
