import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Coverage, startCoverage } from "./engine/coverage.js"
import { keepFinding, readFindings } from "./engine/findings.js"
import { beginCampaign, type Campaign, failureOf, fuzz } from "./engine/fuzz.js"
import { type Guard, settle, startGuard } from "./engine/guard.js"
import { createRandom } from "./engine/random.js"
import { type FuzzTarget, fromText, promise, toText } from "./engine/target.js"
import { targets } from "./targets/all.js"

let coverage: Coverage
let guard: Guard
beforeAll(() => {
  coverage = startCoverage((url) => url.includes("fuzz.test"))
  guard = startGuard()
})
afterAll(() => {
  guard.stop()
  coverage.stop()
})

function targetOf(check: FuzzTarget["check"], work = { perByte: 1_000, perInput: 10_000 }): FuzzTarget {
  return { name: "planted", seeds: () => [fromText("hello")], dictionary: [], maxLength: 64, work, check }
}

/** Until something is found, or for so many turns of the clock. */
async function run(target: FuzzTarget, ticks: number): Promise<Campaign> {
  const campaign = beginCampaign(target)
  let left = ticks
  const isOver = () => campaign.findings.length > 0 || left-- <= 0
  await fuzz(campaign, { random: createRandom(7), coverage, guard, isOver })
  return campaign
}

describe("the fuzzer", { timeout: 60_000 }, () => {
  it("finds what stands behind several conditions, by what each of them let it reach, and makes it small", async () => {
    const behindWalls = (input: Uint8Array) => {
      const [a, b, c, d] = input
      if (a !== 0x66) return
      if (b !== 0x75) return
      if (c !== 0x7a) return
      promise(d !== 0x7a, "nobody comes this far")
    }
    const { findings } = await run(targetOf(behindWalls), 20_000)
    expect(findings.map(({ input }) => toText(input))).toEqual(["fuzz"])
  })

  it("finds work that grows faster than its input", async () => {
    const slow = (input: Uint8Array) => {
      let steps = 0
      for (const _ of input) for (const __ of input) steps += step()
      promise(steps === input.length ** 2, "it counts")
    }
    const { findings } = await run(targetOf(slow, { perByte: 10, perInput: 500 }), 2_000)
    expect(findings[0]?.error.message).toMatch(/work is bounded/)
  })

  it("makes the same inputs of the same seed", () => {
    const [one, other] = [createRandom(42), createRandom(42)]
    const drawn = Array.from({ length: 100 }, () => [one.below(1_000), other.below(1_000)])
    for (const [left, right] of drawn) expect(left).toBe(right)
    expect(new Set(drawn.map(([left]) => left)).size).toBeGreaterThan(50)
  })

  it("notices a prototype that was changed", async () => {
    const pollute = () => Object.defineProperty(Object.prototype, "polluted", { value: true, configurable: true })
    const failure = await failureOf(fromText("x"), targetOf(pollute), guard)
    Reflect.deleteProperty(Object.prototype, "polluted")
    expect(failure?.message).toMatch(/Object\.prototype/)
  })

  it("keeps what it found, byte for byte", () => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-findings-"))
    const input = Uint8Array.of(0, 255, 13, 10)
    keepFinding(folder, { target: "planted", input, error: new Error("found") })
    expect(readFindings(folder)).toMatchObject([{ target: "planted", input }])
    rmSync(folder, { recursive: true })
  })
})

function step(): number {
  return 1
}

const findings = readFindings(join(import.meta.dirname, "findings"))

describe("every target", { timeout: 60_000 }, () => {
  it.each(targets)("$name: keeps its promises for what it starts from, and for what once broke one", async (target) => {
    const kept = findings.filter((finding) => finding.target === target.name).map(({ input }) => input)
    const seeds = await target.seeds()
    expect(seeds.length).toBeGreaterThan(0)
    for (const input of [...seeds, ...kept]) expect(await failureOf(input, target, guard)).toBeNull()
    await settle()
  })

  it("is known by the name that its findings are kept under", () => {
    const names = targets.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(findings.map(({ target }) => target).filter((name) => !names.includes(name))).toEqual([])
  })
})
