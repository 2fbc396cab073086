// Measures what apps on edge runtimes bundle, in bytes after gzip. An app with one provider: the chunks of its first
// request, and those plus the chunks of a sign-in and of the pages. A middleware that reads the session or the token: all of
// its chunks.
import { basename, join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..")

/** Bundles an app. Returns what finds the chunks that it loads by the given kinds of import, directly or not. */
async function bundle(contents) {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    // Those of platforms choose static imports, which load everything at once.
    conditions: ["production"],
    external: ["next", "next/*", "nodemailer", "@simplewebauthn/server", "@simplewebauthn/server/helpers"],
    outdir: join(root, "bundle"),
    metafile: true,
    write: false,
    logLevel: "error",
  })
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))
  const chunks = new Map(outputFiles.map((file) => [basename(file.path), file.contents]))
  return function reach(kinds) {
    const found = new Set()
    const waiting = ["stdin.js"]
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (found.has(name)) continue
      found.add(name)
      const followed = outputs.get(name).imports.filter(({ kind }) => kinds.includes(kind))
      waiting.push(...followed.map(({ path }) => basename(path)).filter((path) => outputs.has(path)))
    }
    return [...found].map((name) => chunks.get(name))
  }
}

const eager = ["import-statement"]
const all = [...eager, "dynamic-import"]
const app = await bundle(
  `export { Auth } from "@latchkey/core"\nexport { GitHub } from "@latchkey/core/providers/github"`,
)
const guard = await bundle(`export { NextAuth } from "@latchkey/next/middleware"`)
const reader = await bundle(`export { getToken } from "@latchkey/core/jwt"`)
const client = `export { createSessionStore, getSession, signIn, signOut } from "@latchkey/client"`
const withoutFlows = await bundle(client)
const withFlows = await bundle(`${client}\nexport * from "@latchkey/client/flows"`)

const parts = [
  { name: "first request", files: app(eager), limit: 33_870 },
  { name: "sign-in and pages too", files: app(all), limit: 116_230 },
  { name: "a middleware that guards", files: guard(all), limit: 39_730 },
  { name: "getToken alone", files: reader(all), limit: 6_850 },
  { name: "flows, beyond the client", files: withFlows(eager), less: withoutFlows(eager), limit: 4_000 },
]

const toSize = (files) => gzipSync(Buffer.concat(files), { level: 9 }).length

for (const { name, files, less, limit } of parts) {
  const size = toSize(files) - (less ? toSize(less) : 0)
  console.log(`${name}: ${(size / 1000).toFixed(3)} kB of ${limit / 1000} kB`)
  if (size > limit) process.exitCode = 1
}
