import { subjectOf } from "../people.js"
import { ownSessionCookies } from "../session-cookie.js"
import { apiPath } from "../token-rules.js"
import type { World } from "../world.js"
import { type Actor, type Move, together } from "./move.js"
import { ownTab, tabOf } from "./tabs.js"

const isPossible = ({ setting }: World): boolean => setting.keepsTokens

/** Pages of the host that need an access token of a provider. */
export const tokenMoves: readonly Move[] = [
  { name: "use-api", by: "anyone", weight: 14, isPossible, run: useApi },
  { name: "use-api-of-victim", by: "attacker", weight: 4, isPossible, run: useApiOfVictim },
]

/** The providers of the user who is signed in. Both if no one is. */
function listProviders({ model, browserOf }: World, person: Actor["person"]): readonly string[] {
  const { jar, sessionCookie } = browserOf(person)
  const cookies = ownSessionCookies(sessionCookie, jar.list())
  const value = cookies.map((cookie) => decodeURIComponent(cookie.value)).join("")
  const userId = model.sessions.get(value)?.userId
  const linked = [...model.accounts].filter(([, owner]) => owner === userId).map(([key]) => key.split(" ", 1)[0] ?? "")
  return [...new Set(linked)].filter((each) => each === "north" || each === "south")
}

/** Opens a page whose parts all need a token, one to four of them at once. */
async function useApi(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const linked = listProviders(world, person)
  const isNew = linked.length === 0 || choose.pick([false, false, false, true])
  const provider = choose.pick(isNew ? ["north", "south"] : linked)
  const times = choose.pick([1, 2, 4])
  const tab = tabOf(actor)
  const phone = choose.pick([tab, ...world.phoneOf(person).tabs])
  actor.say(
    `${person.name} ${isNew ? `signs in with ${provider}, and ` : ""}opens a page that asks ${provider} ${times} times at once.`,
  )
  if (isNew) await tab.signIn(provider)
  const ask = (index: number) =>
    (index % 2 === 0 ? tab : phone).fetch(`${apiPath}?${new URLSearchParams({ provider })}`)
  await together(Array.from({ length: times }, (_, index) => ask(index)))
}

/** Names a victim's account in the request. */
async function useApiOfVictim(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const victim = choose.pick(world.victims)
  const provider = choose.pick(["north", "south"])
  const query = new URLSearchParams({ provider, providerAccountId: subjectOf(victim, provider) })
  actor.say(`${person.name} asks for data of ${victim.name}'s account at ${provider}.`)
  await ownTab(actor).fetch(`${apiPath}?${query}`)
}
