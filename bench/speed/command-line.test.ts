import { describe, expect, it } from "vitest"
import { parseCommandLine } from "./command-line.ts"
import { scenarios } from "./scenarios/table.ts"

describe("parseCommandLine", () => {
  it("rejects an unknown scenario and lists the known ones", () => {
    expect(() => parseCommandLine(["sessions"], scenarios)).toThrow(/Unknown scenario: sessions.*session-stateless/s)
  })

  it("runs every scenario and writes the results when called without arguments", () => {
    const run = parseCommandLine([], scenarios)
    expect(run.scenarios).toEqual(scenarios)
    expect(run.writesResults).toBe(true)
  })

  it("runs a named scenario without writing the results", () => {
    const run = parseCommandLine(["decode"], scenarios)
    expect(run.scenarios.map(({ id }) => id)).toEqual(["decode"])
    expect(run.writesResults).toBe(false)
  })

  it("skips scenarios that need a registry in the short form", () => {
    const run = parseCommandLine(["--short"], scenarios)
    expect(run.effort.isShort).toBe(true)
    expect(run.scenarios.map(({ id }) => id)).not.toContain("install")
    expect(run.writesResults).toBe(false)
  })

  it("profiles without writing the results", () => {
    expect(parseCommandLine(["--profile"], scenarios)).toMatchObject({ isProfile: true, writesResults: false })
  })
})

describe("the table of scenarios", () => {
  it("gives every scenario a unique id", () => {
    expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length)
  })
})
