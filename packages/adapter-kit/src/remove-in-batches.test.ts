import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type RowWalk, removeInBatches } from "./remove-in-batches.js"

interface Row {
  readonly key: string
  readonly isExpired: boolean
}

const limits = { firstRows: 10, maxRows: 40, milliseconds: 20 }

/** Rows with the keys `k00001`, `k00002` and so on; every third has expired. */
function manyRows(count: number): Row[] {
  return Array.from({ length: count }, (_, n) => ({ key: `k${String(n).padStart(5, "0")}`, isExpired: n % 3 === 0 }))
}

describe("removeInBatches", () => {
  let nowMs = 0
  beforeEach(() => {
    nowMs = 0
    vi.spyOn(performance, "now").mockImplementation(() => nowMs)
  })
  afterEach(() => void vi.restoreAllMocks())

  /** A table whose deletions take some time; `sizes` tells how many rows each batch was to have. */
  function openTable(all: readonly Row[], millisecondsFor: (batch: number) => number = () => 0) {
    const table = { rows: all.toSorted((a, b) => (a.key < b.key ? -1 : 1)), sizes: [] as number[], batches: 0 }
    const isWithin = ({ key }: Row, from: string | null, to: string | null) =>
      (from === null || key >= from) && (to === null || key < to)
    const walk: RowWalk<string> = {
      findNext(from, rows) {
        table.sizes.push(rows)
        return table.rows.filter((row) => isWithin(row, from, null))[rows]?.key ?? null
      },
      removeBetween(from, to) {
        nowMs += millisecondsFor(table.batches)
        table.batches += 1
        const before = table.rows.length
        table.rows = table.rows.filter((row) => !(row.isExpired && isWithin(row, from, to)))
        return before - table.rows.length
      },
    }
    return { table, walk }
  }

  it("deletes every expired row and no other", async () => {
    const { table, walk } = openTable(manyRows(1_000))
    expect(await removeInBatches(walk, limits)).toBe(334)
    expect(table.rows).toHaveLength(666)
    expect(table.rows.every(({ isExpired }) => !isExpired)).toBe(true)
  })

  it.each([0, 1, 10])("answers at once when the walk does and one batch is enough (%i rows)", (count) => {
    const { table, walk } = openTable(manyRows(count))
    expect(removeInBatches(walk, limits)).toBe(Math.ceil(count / 3))
    expect(table.batches).toBe(1)
  })

  it("lets other work run between batches", async () => {
    const { table, walk } = openTable(manyRows(400))
    const batches = new Set<number>()
    const timer = setInterval(() => batches.add(table.batches), 0)
    await removeInBatches(walk, limits)
    clearInterval(timer)
    expect(table.batches).toBeGreaterThan(8)
    expect(batches.size).toBeGreaterThanOrEqual(table.batches - 2)
  })

  it("reads more at once while that is fast, up to the limit", async () => {
    const { table, walk } = openTable(manyRows(300))
    await removeInBatches(walk, limits)
    expect(table.sizes.slice(0, 4)).toEqual([10, 20, 40, 40])
    expect(Math.max(...table.sizes)).toBe(40)
  })

  it("reads less at once when that takes long", async () => {
    const { table, walk } = openTable(manyRows(700), (batch) => (batch < 2 ? 0 : 21))
    await removeInBatches(walk, { ...limits, firstRows: 50, maxRows: 200 })
    expect(table.sizes.slice(0, 5)).toEqual([50, 100, 200, 100, 50])
  })

  it("passes rows that have the same part of the key, more than one batch of them", async () => {
    const same = Array.from({ length: 500 }, (_, n) => ({ key: "k00007", isExpired: n % 2 === 0 }))
    const { table, walk } = openTable([...manyRows(60), ...same])
    expect(await removeInBatches(walk, limits)).toBe(270)
    expect(table.rows).toHaveLength(290)
  })

  it("deletes nothing else after an error", async () => {
    const { table, walk } = openTable(manyRows(200))
    const failing: RowWalk<string> = {
      ...walk,
      removeBetween: async (from, to) => {
        if (table.batches === 2) throw new Error("the server is down")
        return walk.removeBetween(from, to)
      },
    }
    await expect((async () => await removeInBatches(failing, limits))()).rejects.toThrow("the server is down")
    expect(table.batches).toBe(2)
  })
})
