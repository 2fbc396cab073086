import { expect } from "vitest"
import { type AdapterCase, expectNull, runConcurrently, unique } from "./adapter-case.js"

const later = new Date("2036-02-29T23:59:59.987Z")
const past = new Date("2020-01-01T00:00:00.000Z")

/** Promises about values that are kept until they are taken. */
export const temporaryCases: readonly AdapterCase[] = [
  {
    claim: "returns a temporary value once, and removes it",
    needs: ["keepTemporary", "takeTemporary"],
    async run(adapter) {
      const [id, value] = [unique("held"), unique("sealed")]
      await adapter.keepTemporary({ id, value, expires: later })
      expect(await adapter.takeTemporary(id)).toBe(value)
      expectNull(await adapter.takeTemporary(id))
    },
  },
  {
    claim: "returns a temporary value to exactly one of many concurrent callers",
    needs: ["keepTemporary", "takeTemporary"],
    async run(adapter, callers) {
      const [id, value] = [unique("held"), unique("sealed")]
      await adapter.keepTemporary({ id, value, expires: later })
      const { results, failures } = await runConcurrently(callers, () => adapter.takeTemporary(id))
      expect(failures).toBe(0)
      expect(results.filter((taken) => taken !== null)).toEqual([value])
    },
  },
  {
    claim: "returns null for a temporary value that expired or was never kept",
    needs: ["keepTemporary", "takeTemporary"],
    async run(adapter) {
      const id = unique("held")
      await adapter.keepTemporary({ id, value: "sealed", expires: past })
      expectNull(await adapter.takeTemporary(id))
      expectNull(await adapter.takeTemporary(unique("held")))
    },
  },
  {
    claim: "keeps a temporary value of 64 KiB under an id of 128 characters",
    needs: ["keepTemporary", "takeTemporary"],
    async run(adapter) {
      const id = unique("held").padEnd(128, "0")
      const value = "sealed-".padEnd(65_536, "x")
      await adapter.keepTemporary({ id, value, expires: later })
      expectNull(await adapter.takeTemporary(id.slice(0, 127)))
      expect(await adapter.takeTemporary(id)).toBe(value)
    },
  },
]

const minute = 60_000
const inAMinute = () => new Date(Date.now() + minute)

/** Promises about leases. */
export const leaseCases: readonly AdapterCase[] = [
  {
    claim: "gives a lease to exactly one of many concurrent callers",
    needs: ["takeLease"],
    async run(adapter, callers) {
      const id = unique("refresh")
      const { results, failures } = await runConcurrently(callers, (index) =>
        adapter.takeLease({ id, holder: `holder-${index}`, until: inAMinute() }),
      )
      expect(failures).toBe(0)
      expect(results.filter((isHolder) => isHolder)).toEqual([true])
    },
  },
  {
    claim: "gives a lease again to its holder, and to no other",
    needs: ["takeLease"],
    async run(adapter) {
      const [id, holder] = [unique("refresh"), unique("holder")]
      expect(await adapter.takeLease({ id, holder, until: inAMinute() })).toBe(true)
      expect(await adapter.takeLease({ id, holder, until: new Date(Date.now() + 2 * minute) })).toBe(true)
      expect(await adapter.takeLease({ id, holder: unique("holder"), until: inAMinute() })).toBe(false)
      expect(await adapter.takeLease({ id: unique("refresh"), holder, until: inAMinute() })).toBe(true)
    },
  },
  {
    claim: "gives a lease that ran out to exactly one of many concurrent callers",
    needs: ["takeLease"],
    async run(adapter, callers) {
      const id = unique("refresh")
      expect(await adapter.takeLease({ id, holder: "first", until: new Date(Date.now() + 100) })).toBe(true)
      await new Promise((resolve) => setTimeout(resolve, 150))
      const { results } = await runConcurrently(callers, (index) =>
        adapter.takeLease({ id, holder: `holder-${index}`, until: inAMinute() }),
      )
      expect(results.filter((isHolder) => isHolder)).toEqual([true])
      expect(await adapter.takeLease({ id, holder: "first", until: inAMinute() })).toBe(false)
    },
  },
  {
    claim: "drops a lease for its holder only",
    needs: ["takeLease", "dropLease"],
    async run(adapter) {
      const [id, holder, other] = [unique("refresh"), unique("holder"), unique("holder")]
      await adapter.takeLease({ id, holder, until: inAMinute() })
      await adapter.dropLease({ id, holder: other })
      expect(await adapter.takeLease({ id, holder: other, until: inAMinute() })).toBe(false)
      await adapter.dropLease({ id, holder })
      expect(await adapter.takeLease({ id, holder: other, until: inAMinute() })).toBe(true)
      await adapter.dropLease({ id: unique("refresh"), holder })
    },
  },
  {
    claim: "does not take a lease for a temporary value of the same id",
    needs: ["takeLease", "keepTemporary", "takeTemporary"],
    async run(adapter) {
      const [id, holder] = [unique("same"), unique("holder")]
      await adapter.takeLease({ id, holder, until: inAMinute() })
      expectNull(await adapter.takeTemporary(id))
      await adapter.keepTemporary({ id, value: "sealed", expires: later })
      expect(await adapter.takeLease({ id, holder: unique("holder"), until: inAMinute() })).toBe(false)
      expect(await adapter.takeTemporary(id)).toBe("sealed")
    },
  },
]
