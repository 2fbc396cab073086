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

let guard: Guard
beforeAll(() => {
  guard = startGuard()
})
afterAll(() => guard.stop())

/** Coverage that a target reports itself, because V8's coverage is slow inside a test runner. */
function ownCoverage(): Coverage & { reach(place: string, steps?: number): void } {
  let features: string[] = []
  let steps = 0
  return {
    reach(place, count = 1) {
      features.push(place)
      steps += count
    },
    take() {
      const touched = { features, steps }
      features = []
      steps = 0
      return touched
    },
    stop: () => {},
  }
}

function targetOf(check: FuzzTarget["check"]): FuzzTarget {
  const work = { perByte: 10, perInput: 500 }
  return { name: "planted", seeds: () => [fromText("hello")], dictionary: [], maxLength: 64, work, check }
}

/** Fuzzes until the first finding, or for a number of batches. */
async function run(target: FuzzTarget, coverage: Coverage, batches: number): Promise<Campaign> {
  const campaign = beginCampaign(target)
  let left = batches
  const isOver = () => campaign.findings.length > 0 || left-- <= 0
  await fuzz(campaign, { random: createRandom(7), coverage, guard, isOver })
  return campaign
}

describe("the fuzzer", { timeout: 60_000 }, () => {
  it("finds and minimizes an input that passes several conditions, guided by coverage", async () => {
    const coverage = ownCoverage()
    const behindWalls = (input: Uint8Array) => {
      const walls = [..."%/;="]
      const passed = walls.findIndex((wall, index) => toText(input)[index] !== wall)
      coverage.reach(`wall ${passed}`)
      promise(passed >= 0, "the last wall stands")
    }
    const { findings } = await run(targetOf(behindWalls), coverage, 5_000)
    expect(findings.map(({ input }) => toText(input))).toEqual(["%/;="])
  })

  it("finds superlinear work", async () => {
    const coverage = ownCoverage()
    const slow = ({ length }: Uint8Array) => coverage.reach("loop", length ** 2)
    const { findings } = await run(targetOf(slow), coverage, 500)
    expect(findings[0]?.error.message).toMatch(/work is bounded/)
  })

  it("distinguishes the paths through a function", () => {
    const choose = (n: number) => {
      if (n === 1) return "one"
      if (n === 2) return "two"
      return "many"
    }
    const coverage = startCoverage((url) => url.includes("fuzz.test"))
    const seen = [1, 2, 3, 1].map((n) => {
      coverage.take()
      choose(n)
      return new Set(coverage.take().features)
    })
    coverage.stop()
    const [one, two, many, again] = seen.map((features) => [...features].sort().join())
    expect(new Set([one, two, many]).size).toBe(3)
    expect(again).toBe(one)
  })

  it("repeats its random numbers with the same seed", () => {
    const [one, other] = [createRandom(42), createRandom(42)]
    const drawn = Array.from({ length: 100 }, () => [one.below(1_000), other.below(1_000)])
    for (const [left, right] of drawn) expect(left).toBe(right)
    expect(new Set(drawn.map(([left]) => left)).size).toBeGreaterThan(50)
  })

  it("detects a changed prototype", async () => {
    const pollute = () => {
      Object.defineProperty(Object.prototype, "polluted", { value: true, configurable: true })
    }
    const failure = await failureOf(fromText("x"), targetOf(pollute), guard)
    Reflect.deleteProperty(Object.prototype, "polluted")
    expect(failure?.message).toMatch(/Object\.prototype/)
  })

  it("writes and reads findings byte for byte", () => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-findings-"))
    const input = Uint8Array.of(0, 255, 13, 10)
    keepFinding(folder, { target: "planted", input, error: new Error("found") })
    expect(readFindings(folder)).toMatchObject([{ target: "planted", input }])
    rmSync(folder, { recursive: true })
  })
})

const findings = readFindings(join(import.meta.dirname, "findings"))

describe("every target", { timeout: 60_000 }, () => {
  it.each(targets)("$name: its properties hold for the seeds and for all findings", async (target) => {
    const kept = findings.filter((finding) => finding.target === target.name).map(({ input }) => input)
    const seeds = await target.seeds()
    expect(seeds.length).toBeGreaterThan(0)
    for (const input of [...seeds, ...kept]) expect(await failureOf(input, target, guard)).toBeNull()
    await settle()
  })

  it("has a unique name, and every folder of findings belongs to a target", () => {
    const names = targets.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(findings.map(({ target }) => target).filter((name) => !names.includes(name))).toEqual([])
  })
})
