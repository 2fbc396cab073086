import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

// What `npm run release` writes into the files of a tarball.

const module = join(import.meta.dirname, "..", "..", "scripts", "published-addresses.mjs")
let unpacked: string

beforeEach(() => {
  unpacked = mkdtempSync(join(tmpdir(), "latchkey-addresses-"))
  writeFileSync(join(unpacked, "package.json"), '{ "name": "@latchkey/express", "version": "1.0.0" }')
  writeFileSync(
    join(unpacked, "README.md"),
    "# A\n\nThe packages are not on the npm registry yet: until they are, [add](../../README.md).\n\n[guide](../../docs/guides/oauth.md#par), [core](../core), [site](https://a.example)\n",
  )
})

afterEach(() => rmSync(unpacked, { recursive: true, force: true }))

function writeAddresses(addresses: object): { readonly manifest: object; readonly readme: string } {
  const script = `
    import { writeAddresses } from ${JSON.stringify(module)}
    writeAddresses(${JSON.stringify(unpacked)}, "packages/express", ${JSON.stringify(addresses)})`
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  })
  expect([stderr, status]).toEqual(["", 0])
  return {
    manifest: JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8")),
    readme: readFileSync(join(unpacked, "README.md"), "utf8"),
  }
}

describe("the public addresses of a package", () => {
  it("are written into its manifest, and into the links of its README", () => {
    const repository = "https://forge.example/latchkey"
    const { manifest, readme } = writeAddresses({
      repository,
      homepage: "https://latchkey.example",
      bugs: `${repository}/issues`,
    })
    expect(manifest).toEqual({
      name: "@latchkey/express",
      version: "1.0.0",
      repository: { type: "git", url: "git+https://forge.example/latchkey.git", directory: "packages/express" },
      homepage: "https://latchkey.example",
      bugs: { url: "https://forge.example/latchkey/issues" },
    })
    expect(readme).toContain(`[guide](${repository}/blob/HEAD/docs/guides/oauth.md#par)`)
    expect(readme).toContain(`[core](${repository}/blob/HEAD/packages/core)`)
    expect(readme).toContain("[site](https://a.example)")
  })

  it("are left out while they are empty", () => {
    const { manifest, readme } = writeAddresses({ repository: "", homepage: "", bugs: "" })
    expect(manifest).toEqual({ name: "@latchkey/express", version: "1.0.0" })
    expect(readme).toContain("[core](../core)")
  })

  it("stand in a README that no longer says that the package is not published", () => {
    const { readme } = writeAddresses({ repository: "", homepage: "", bugs: "" })
    expect(readme).toMatch(/^# A\n\n\[guide\]/)
  })
})
