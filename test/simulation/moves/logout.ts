import type { LogoutTokenFacts, RecordFacts } from "../facts.js"
import type { World } from "../world.js"
import { type Actor, type Move, together } from "./move.js"
import { tabOf } from "./tabs.js"

const isPossible = ({ setting }: World): boolean => setting.isTracked

/** Sign-outs at a provider, the logout tokens that it sends, and those that the attacker sends. */
export const logoutMoves: readonly Move[] = [
  { name: "sign-out-at-provider", by: "anyone", weight: 2, isPossible, run: signOutAtProvider },
  { name: "provider-signs-out", by: "anyone", weight: 5, isPossible, run: sendToken },
  {
    name: "replay-logout",
    by: "attacker",
    weight: 3,
    isPossible: ({ model, setting }) => setting.isTracked && model.logoutTokens.size > 0,
    run: replayToken,
  },
  { name: "forge-logout", by: "attacker", weight: 4, isPossible, run: forgeToken },
]

/** Signs out here and there: the browser goes to the provider and back. */
async function signOutAtProvider(actor: Actor): Promise<void> {
  const tab = tabOf(actor)
  actor.say(`${actor.person.name} signs out here and at the provider.`)
  await tab.signOut({ callbackUrl: "/bye", atProvider: "true" })
}

/** A session that began with a provider, of the person or of anyone. */
function pickRecord({ world, choose }: Actor, isFitting: (record: RecordFacts) => boolean): RecordFacts {
  const records = [...world.model.records.values()].filter(
    (record) => /^(?:north|south)$/.test(record.origin.provider) && isFitting(record),
  )
  return choose.pick(records.slice(-4).toReversed())
}

/** The session of a person ends at the provider, which tells the app: once, or twice because the answer was lost. */
async function sendToken(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { origin } = pickRecord(actor, ({ userId }) => world.model.users.get(userId)?.owner === person)
  const target = choose.pick([{ sid: origin.sid ?? "" }, { sub: origin.sub }])
  const times = choose.pick([1, 1, 2])
  actor.say(
    `${person.name}'s session at ${origin.provider} ends, and the app is told${times > 1 ? " twice at once" : ""}.`,
  )
  const token = world.providerOf(origin.provider).logoutToken({ claims: target })
  remember(world, token, { provider: origin.provider, target, isRight: true })
  await together(Array.from({ length: times }, () => post(actor, origin.provider, token)))
}

/** Sends a token once more, to its provider's address or to another. */
async function replayToken(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const [token, { provider }] = choose.pick([...world.model.logoutTokens].slice(-3).toReversed())
  const address = choose.pick([provider, provider, "north", "south"])
  actor.say(`${person.name} sends a logout token of ${provider} once more, to the address for ${address}.`)
  await post(actor, address, token)
}

/** Makes a token for the session of someone else. */
async function forgeToken(actor: Actor): Promise<void> {
  const { world, person, choose } = actor
  const { origin } = pickRecord(actor, ({ userId }) => world.model.users.get(userId)?.owner !== person)
  const target = choose.pick([{ sid: origin.sid ?? "" }, { sub: origin.sub }])
  const kind = choose.pick(["with another key", "without a signature", "of the other provider"])
  const isOfOther = kind === "of the other provider"
  const signer = isOfOther ? (origin.provider === "north" ? "south" : "north") : origin.provider
  const token = world.providerOf(signer).logoutToken({
    claims: target,
    isForged: kind === "with another key",
    header: kind === "without a signature" ? { alg: "none" } : {},
  })
  actor.say(`${person.name} makes a logout token ${kind} for a session of someone else.`)
  // At the provider that signed it, it is like any other of its tokens: it names no session there.
  remember(world, token, { provider: signer, target, isRight: isOfOther })
  await post(actor, origin.provider, token)
}

type NewToken = Pick<LogoutTokenFacts, "provider" | "target" | "isRight">

function remember({ model }: World, token: string, facts: NewToken): void {
  model.logoutTokens.set(token, { ...facts, arrivals: 0, obeyed: null })
}

/** From a server, which has no cookies. */
async function post({ world, person }: Actor, provider: string, token: string): Promise<void> {
  const body = new URLSearchParams({ logout_token: token })
  await world.scannerOf(person).newTab().fetch(`/auth/backchannel-logout/${provider}`, { method: "POST", body })
}
