import { createAuthClient } from "../../../packages/testkit/src/browser/auth-client.js"
import { supportPath } from "../instance.js"
import { appOrigin, halfPath, subjectOf } from "../people.js"
import type { VisitorTab } from "../visitor-browser.js"
import type { World } from "../world.js"
import { type Actor, type Move, NothingToDo } from "./move.js"
import { jsonHeaders, tabOf } from "./tabs.js"

const isPossible = ({ setting }: World): boolean => setting.isTracked

/** What people do with the list of their sessions, where the host tracks them. */
export const sessionMoves: readonly Move[] = [
  { name: "come-back", by: "anyone", weight: 12, isPossible, run: comeBack },
  { name: "list-sessions", by: "anyone", weight: 3, isPossible, run: readList },
  { name: "end-session", by: "anyone", weight: 5, isPossible, run: endOne },
  { name: "end-others", by: "anyone", weight: 2, isPossible, run: endOthers },
  { name: "end-all", by: "anyone", weight: 2, isPossible, run: endAll },
  { name: "use-half", by: "anyone", weight: 6, isPossible: ({ setting }) => setting.hasHalf, run: useHalf },
]

const listUrl = "/auth/account/sessions"

interface ListedSession {
  readonly id: string
  readonly isCurrent: boolean
}

/** The sessions that the service shows to the tab. Empty when signed out. */
export async function listSessions(tab: VisitorTab): Promise<readonly ListedSession[]> {
  const response = await tab.fetch(listUrl, { headers: jsonHeaders })
  return Object(await response.json()).sessions ?? []
}

export async function changeSessions(tab: VisitorTab, fields: Readonly<Record<string, string>>): Promise<void> {
  const body = new URLSearchParams({ ...fields, csrfToken: await tab.csrfToken() })
  await tab.fetch(listUrl, { method: "POST", body, headers: jsonHeaders })
}

/** Reads the session in either browser, perhaps long after it was ended elsewhere. */
async function comeBack({ world, person, choose, say }: Actor): Promise<void> {
  const browser = choose.pick([world.browserOf(person), world.phoneOf(person)])
  say(`${person.name} comes back to the app.`)
  await choose.pick(browser.tabs).session()
}

/** Reads the session of a half of the app that does not track it, or signs in there, and comes back. */
async function useHalf({ world, person, choose, say }: Actor): Promise<void> {
  const tab = choose.pick([world.browserOf(person), world.phoneOf(person)].flatMap(({ tabs }) => tabs))
  const isKnown = world.model.accounts.has(`north ${subjectOf(person, "north")}`)
  const isSignIn = choose.pick(isKnown ? [false, true] : [false])
  say(`${person.name} ${isSignIn ? "signs in at" : "looks at"} the half that does not track sessions, and comes back.`)
  const half = createAuthClient(tab, { app: new URL(appOrigin), basePath: halfPath })
  // Not to the page that the tab shows: one of ours, such as an error, is none of the half.
  if (isSignIn) await half.signIn("north", { callbackUrl: "/" })
  else await half.session()
  await tab.session()
}

async function readList(actor: Actor): Promise<void> {
  actor.say(`${actor.person.name} looks at the list of sessions.`)
  await listSessions(tabOf(actor))
}

async function endOne(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const tab = tabOf(actor)
  const listed = await listSessions(tab)
  // The attacker also tries ids of others, which they cannot know.
  const foreign = person.isAttacker ? [...world.model.records.keys()].slice(-1) : []
  const others = listed.filter(({ isCurrent }) => !isCurrent).map(({ id }) => id)
  const id = choose.pick([...others, ...foreign, ...listed.map((session) => session.id)])
  actor.say(`${person.name} ends ${id === listed[0]?.id ? "the current" : "another"} session in the list.`)
  await changeSessions(tab, { action: "end", id })
}

async function endOthers(actor: Actor): Promise<void> {
  actor.say(`${actor.person.name} ends all other sessions.`)
  await changeSessions(tabOf(actor), { action: "end-others" })
}

/** Calls the support, which signs the person out everywhere. */
async function endAll(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const own = [...world.model.users.values()].filter(({ owner, isDeleted }) => owner === person && !isDeleted)
  if (own.length === 0) throw new NothingToDo("There is no user")
  const { id } = choose.pick(own)
  actor.say(`${person.name} asks the host to be signed out everywhere.`)
  await tabOf(actor).fetch(`${supportPath}?${new URLSearchParams({ user: id })}`, {
    method: "POST",
    body: new URLSearchParams(),
  })
}
