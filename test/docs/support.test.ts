import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

// docs/support.md promises versions. The manifests and the workflow have to agree.

const root = join(import.meta.dirname, "..", "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const support = read("docs/support.md")

interface Manifest {
  readonly engines: { readonly node: string }
  readonly peerDependencies: Readonly<Record<string, string>>
}

const readManifest = (name: string): Manifest => JSON.parse(read(`packages/${name}/package.json`))

describe("docs/support.md", () => {
  const rows = [...support.matchAll(/^\| `@latchkey\/([\w-]+)` \| (\S+) (.+) \|$/gm)]

  it("lists every framework package", () => {
    expect(rows.map(([, name]) => name)).toEqual([
      ...["astro", "elysia", "express", "fastify", "hono", "koa", "nestjs", "next", "nuxt", "qwik"],
      ...["react", "react-router", "solid-start", "svelte", "sveltekit", "tanstack-start", "vue"],
    ])
  })

  it.each(rows.map(([, name = "", framework = "", range = ""]) => ({ name, framework, range })))(
    "names the versions of $framework that @latchkey/$name accepts",
    ({ name, framework, range }) => {
      expect(readManifest(name).peerDependencies[framework]).toBe(range.replaceAll(", ", " || "))
    },
  )

  it("lists the versions of Node that the workflow tests", () => {
    const [, matrix = ""] = read(".github/workflows/ci.yml").match(/node: \[(.*)\]/) ?? []
    const tested = [...matrix.matchAll(/"(\d+)[\d.]*"/g)].map(([, major]) => major)
    const promised = [...support.matchAll(/^\| (\d+)(?: \(from [\d.]+\))? \| \w+ \d{4} \|$/gm)].map(
      ([, major]) => major,
    )
    expect(promised).toEqual(tested)
    expect(promised.length).toBeGreaterThan(0)
  })

  it("begins with the version of Node that the packages require", () => {
    expect(support).toContain("from 22.18 on")
    expect(readManifest("core").engines.node).toBe(">=22.18")
  })
})
