import type { Activity, Outcome } from "./activity.js"
import { accountMoves } from "./moves/account.js"
import { attackMoves } from "./moves/attack.js"
import { codeMoves } from "./moves/codes.js"
import { encounterMoves } from "./moves/encounters.js"
import { factorMoves } from "./moves/factors.js"
import { honestMoves } from "./moves/honest.js"
import { logoutMoves } from "./moves/logout.js"
import { mailMoves } from "./moves/mail.js"
import type { Move } from "./moves/move.js"
import { nativeMoves } from "./moves/native.js"
import { pageMoves } from "./moves/pages.js"
import { passwordMoves } from "./moves/passwords.js"
import { sessionMoves } from "./moves/sessions.js"
import { theftMoves } from "./moves/theft.js"
import { tokenMoves } from "./moves/tokens.js"
import type { Person } from "./people.js"
import type { Random } from "./random.js"
import type { Step } from "./schedule.js"
import type { World } from "./world.js"

const tables = [
  honestMoves,
  mailMoves,
  codeMoves,
  sessionMoves,
  logoutMoves,
  passwordMoves,
  factorMoves,
  encounterMoves,
  tokenMoves,
  accountMoves,
  nativeMoves,
  attackMoves,
  pageMoves,
  theftMoves,
]

/** Every move by name. A capability with many moves has a table of its own. */
export const moves: ReadonlyMap<string, Move> = new Map(tables.flat().map((move) => [move.name, move]))

/** Moves that are under way at the same time. */
const mostActivities = 4
/** How far a clock can be off. */
const mostDriftMs = 20_000
const numbersPerMove = 5
const waits = [1000, 31_000, 61_000, 600_000, 1_900_000]
/** With pages where an address can be restored for three days. */
const longWaits = [...waits, ...waits, 93_600_000, 270_000_000]

/**
 * Draws the next step.
 * @param id For a new move.
 */
export function drawStep(world: World, random: Random, id: number): Step {
  const { scheduler, setting, instances } = world
  const waiting = scheduler.activities.filter(scheduler.canResume)
  if (random.chance(0.03))
    return { kind: "wait", milliseconds: random.pick(setting.hasAccountArea ? longWaits : waits) }
  if (setting.isFaulty && random.chance(0.01)) return { kind: "kill", instance: random.int(instances.length) }
  if (random.chance(0.005)) return { kind: "rotate", provider: random.pick(["north", "south"]) }
  if (random.chance(0.005)) {
    const milliseconds = random.int(2 * mostDriftMs + 1) - mostDriftMs
    return { kind: "drift", instance: random.int(instances.length), milliseconds }
  }
  const isRoom = waiting.length < mostActivities
  if (waiting.length === 0 || (isRoom && random.chance(0.3))) return drawMove(world, random, id)
  const activity = random.pick(waiting)
  if (random.chance(0.004)) return { kind: "leave", id: activity.id }
  return { kind: "go", id: activity.id, outcome: drawOutcome(world, random, activity) }
}

function drawOutcome({ setting }: World, random: Random, activity: Activity): Outcome {
  const faults = activity.waits[0]?.cut.faults ?? []
  return setting.isFaulty && faults.length > 0 && random.chance(0.04) ? random.pick(faults) : "ok"
}

function drawMove(world: World, random: Random, id: number): Step {
  const { victims, attacker } = world
  const person = random.chance(0.5) ? attacker : random.pick(victims)
  const move = drawByWeight(random, person, world)
  const numbers = Array.from({ length: numbersPerMove }, () => random.int(60))
  return { kind: "move", id, person: person.name, move: move.name, numbers, isAtOnce: random.chance(0.6) }
}

const urgency = 10

function drawByWeight(random: Random, person: Person, world: World): Move {
  const possible = [...moves.values()].filter(
    ({ by, isPossible }) => (by !== "attacker" || person.isAttacker) && isPossible?.(world) !== false,
  )
  const weightOf = ({ weight, isUrgent }: Move) => (person.isAttacker && isUrgent?.(world) ? weight * urgency : weight)
  const total = possible.reduce((sum, move) => sum + weightOf(move), 0)
  let at = random.int(total)
  for (const move of possible) {
    at -= weightOf(move)
    if (at < 0) return move
  }
  throw new RangeError("There is no move")
}
