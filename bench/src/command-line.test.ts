import { describe, expect, it } from "vitest"
import { parseCommandLine } from "./command-line.ts"
import { scenarios } from "./scenarios/table.ts"

describe("the command line", () => {
  it("refuses a scenario that does not exist, and names those that do", () => {
    expect(() => parseCommandLine(["sessions"], scenarios)).toThrow(/no scenario sessions.*session-stateless/s)
  })

  it("runs everything and writes the results down without arguments", () => {
    const run = parseCommandLine([], scenarios)
    expect(run.scenarios).toEqual(scenarios)
    expect(run.isWritten).toBe(true)
  })

  it("runs one scenario alone and leaves the written results as they are", () => {
    const run = parseCommandLine(["decode"], scenarios)
    expect(run.scenarios.map(({ id }) => id)).toEqual(["decode"])
    expect(run.isWritten).toBe(false)
  })

  it("asks no registry in the short form", () => {
    const run = parseCommandLine(["--short"], scenarios)
    expect(run.effort.isShort).toBe(true)
    expect(run.scenarios.map(({ id }) => id)).not.toContain("install")
    expect(run.isWritten).toBe(false)
  })

  it("profiles without touching the written results", () => {
    expect(parseCommandLine(["--profile"], scenarios)).toMatchObject({ isProfile: true, isWritten: false })
  })

  it("gives every scenario a name of its own", () => {
    expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length)
  })
})
