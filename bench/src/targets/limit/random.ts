import { randomFillSync } from "node:crypto"

const stock = Buffer.alloc(4096)
const position = { next: stock.length }

/** Random bytes out of a stock that is filled all at once: one call of the platform for many. */
export function takeRandom(length: number): Buffer {
  if (position.next + length > stock.length) {
    randomFillSync(stock)
    position.next = 0
  }
  position.next += length
  return Buffer.from(stock.subarray(position.next - length, position.next))
}
