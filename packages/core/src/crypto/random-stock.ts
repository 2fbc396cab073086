import type { Bytes } from "./primitives.js"

/**
 * Random bytes out of a stock that is filled many at a time: a call to the system's generator costs more than the rest
 * of what a token takes. Each byte is given out once, and erased from the stock as it leaves.
 *
 * @param fill Overwrites all of the bytes with random ones.
 * @param size Bytes fetched at once. A larger request is fetched by itself.
 */
export function createRandomStock(fill: (bytes: Bytes) => void, size: number): (length: number) => Bytes {
  const stock = new Uint8Array(size)
  let used = size

  return (length) => {
    if (length > size) return filled(fill, length)
    if (used + length > size) {
      fill(stock)
      used = 0
    }
    const taken = stock.slice(used, used + length)
    stock.fill(0, used, used + length)
    used += length
    return taken
  }
}

function filled(fill: (bytes: Bytes) => void, length: number): Bytes {
  const bytes = new Uint8Array(length)
  fill(bytes)
  return bytes
}
