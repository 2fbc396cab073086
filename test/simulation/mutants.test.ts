import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Mutant } from "./mutant.js"

const sources = join(import.meta.dirname, "..", "..", "packages", "core", "src")
const folder = join(import.meta.dirname, "mutants")
const files = readdirSync(folder).map((file) => join(folder, file))
const modules = await Promise.all(files.map(async (file): Promise<{ mutants: readonly Mutant[] }> => import(file)))
const mutants = modules.flatMap((module) => module.mutants)

describe("the mutants of the simulation", () => {
  it("are at least 25", () => {
    expect(mutants.length).toBeGreaterThanOrEqual(25)
  })

  // They run in a command of their own, so that a change of the sources would leave them behind.
  it.each(mutants.map(({ name, edits }) => [name, edits] as const))("fit the sources: %s", (_, edits) => {
    for (const { file, find } of edits) expect(readFileSync(join(sources, file), "utf8").split(find)).toHaveLength(2)
  })
})
