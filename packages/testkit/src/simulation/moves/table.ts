import { attackMoves } from "./attack.js"
import { honestMoves } from "./honest.js"
import type { Move } from "./move.js"

/** Every move by name. */
export const moves: ReadonlyMap<string, Move> = new Map(
  [...honestMoves, ...attackMoves].map((move) => [move.name, move]),
)
