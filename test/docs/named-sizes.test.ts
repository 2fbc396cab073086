import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Auth } from "@latchkey/core"
import Apple from "@latchkey/core/providers/apple"
import Discord from "@latchkey/core/providers/discord"
import Dropbox from "@latchkey/core/providers/dropbox"
import Facebook from "@latchkey/core/providers/facebook"
import GitHub from "@latchkey/core/providers/github"
import GitLab from "@latchkey/core/providers/gitlab"
import Google from "@latchkey/core/providers/google"
import LinkedIn from "@latchkey/core/providers/linkedin"
import Spotify from "@latchkey/core/providers/spotify"
import Twitch from "@latchkey/core/providers/twitch"
import { build } from "esbuild"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const guide = readFileSync(join(root, "docs", "guides", "pages.md"), "utf8")

/** The numbers that a sentence of the guide has in place of `#`. */
function readNumbers(sentence: string): readonly number[] {
  const found = guide.match(
    new RegExp(sentence.replaceAll("(", "\\(").replaceAll(")", "\\)").replaceAll("#", "(\\d+)")),
  )
  if (!found) throw new Error(`docs/guides/pages.md does not say "${sentence}"`)
  return found.slice(1).map(Number)
}

async function gzipLanguage(file: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    conditions: ["@latchkey/source"],
  })
  return gzipSync(outputFiles[0]?.contents ?? "").byteLength
}

/** What `scripts/check-bundle.mjs` allows each part: kB after gzip, rounded. It fails if one is larger. */
function readLimits(): ReadonlyMap<string, number> {
  const text = readFileSync(join(root, "scripts", "check-bundle.mjs"), "utf8")
  const parts = [...text.matchAll(/\{ name: "([^"]+)",.*limit: ([\d_]+) \}/g)]
  return new Map(parts.map(([, name = "", limit = ""]) => [name, Math.round(Number(limit.replaceAll("_", "")) / 1000)]))
}

describe("the sizes of bundles that documents name", () => {
  it.each([
    ["docs/guides/next.md", /It adds (\d+) kB \(gzipped\) to the bundle/, "a middleware that guards"],
    ["docs/runtimes.md", /only guards \| (\d+) kB/, "a middleware that guards"],
    ["docs/runtimes.md", /the first request loads (\d+) kB of ours/, "first request"],
    ["docs/guides/own-forms.md", /at most (\d+) kB \(gzipped\) beyond the client/, "flows, beyond the client"],
  ])("%s: %s is what the check of bundles allows", (file, sentence, part) => {
    const [, named] = sentence.exec(readFileSync(join(root, file), "utf8")) ?? []
    expect(Number(named)).toBe(readLimits().get(part))
  })

  it("docs/guides/clients.md: the sizes of the client are what the check of sizes allows", () => {
    const text = readFileSync(join(root, "docs", "guides", "clients.md"), "utf8")
    const named = /at most ([\d.]+) kB \(gzipped\).*or ([\d.]+) kB together.*passkeys need, at most ([\d.]+) kB/s.exec(
      text,
    )
    const checks: readonly { readonly name: string; readonly limit: string }[] = JSON.parse(
      readFileSync(join(root, "scripts", "tools", ".size-limit.json"), "utf8"),
    )
    const names = [
      "the session in the browser",
      "React, with the client",
      "passkeys in the browser, loaded when one is used",
    ]
    const allowed = names.map((name) => Number.parseFloat(checks.find((check) => check.name === name)?.limit ?? ""))
    expect(named?.slice(1)).toEqual(allowed.map((kB) => String(Math.ceil(kB * 10) / 10)))
  })
})

describe("the sizes that the guide to the pages names", () => {
  it("are those of a sign-in page with ten providers and its stylesheet", async () => {
    const [compressed = 0, plain = 0] = readNumbers(
      "with ten providers and its stylesheet are smaller than # kB together (gzipped), or # kB",
    )
    const client = { clientId: "client", clientSecret: "the secret of the client" }
    const ten = [Apple, Discord, Dropbox, Facebook, GitHub, GitLab, Google, LinkedIn, Spotify, Twitch]
    const config = {
      providers: ten.map((provider) => provider(client)),
      secret: "a secret with at least thirty-two characters",
      trustHost: true,
      logger: { warn() {} },
    }
    const visit = async (path: string) => (await Auth(new Request(`https://app.example${path}`), config)).text()
    const page = await visit("/auth/signin")
    const [, stylesheet = ""] = page.match(/<link rel="stylesheet" href="(?:https:\/\/app\.example)?([^"]+)"/) ?? []
    expect(page.match(/action="[^"]*\/signin\/\w+"/g)).toHaveLength(ten.length)
    const styles = await visit(stylesheet)
    expect(styles).toContain("color-scheme")
    expect(Buffer.byteLength(page + styles)).toBeLessThan(plain * 1000)
    expect(gzipSync(page).byteLength + gzipSync(styles).byteLength).toBeLessThan(compressed * 1000)
  })

  it("are those of a language", async () => {
    const [least = 0, most = 0] = readNumbers("A language takes # to # kB (gzipped)")
    const files = globSync("packages/core/src/messages/languages/*.ts", {
      cwd: root,
      exclude: ["**/all.ts", "**/*.test.ts"],
    })
    const sizes = await Promise.all(files.map((file) => gzipLanguage(join(root, file))))
    expect(sizes.length).toBeGreaterThan(15)
    expect([Math.min(...sizes), Math.max(...sizes)].map((size) => Math.round(size / 1000))).toEqual([least, most])
  })
})
