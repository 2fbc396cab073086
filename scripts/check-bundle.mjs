// Measures the bundle of an edge app with one provider: the chunks of its first request, and those plus the chunks of a
// sign-in and of the pages. Sizes are gzipped.
import { basename, join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..")
const limits = { "first request": 28_000, "sign-in and pages too": 87_700 }

const { metafile, outputFiles } = await build({
  stdin: {
    contents: `export { Auth } from "@latchkey/core"\nexport { GitHub } from "@latchkey/core/providers/github"`,
    resolveDir: root,
  },
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["worker"],
  external: ["nodemailer", "@simplewebauthn/server", "@simplewebauthn/server/helpers"],
  outdir: join(root, "bundle"),
  metafile: true,
  write: false,
  logLevel: "error",
})

const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))
const contents = new Map(outputFiles.map(({ path, contents: bytes }) => [basename(path), bytes]))

/** The chunks that these import, directly or not, by the given kinds of import. */
function reach(names, kinds) {
  const found = new Set()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    found.add(name)
    const { imports } = outputs.get(name)
    const followed = imports.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => basename(path))
    waiting.push(...followed.filter((path) => outputs.has(path)))
  }
  return found
}

const sizeOf = (names) => gzipSync(Buffer.concat([...names].map((name) => contents.get(name))), { level: 9 }).length
const sizes = {
  "first request": sizeOf(reach(["stdin.js"], ["import-statement"])),
  "sign-in and pages too": sizeOf(reach(["stdin.js"], ["import-statement", "dynamic-import"])),
}

for (const [name, size] of Object.entries(sizes)) {
  console.log(`${name}: ${(size / 1000).toFixed(3)} kB of ${limits[name] / 1000} kB`)
  if (size > limits[name]) process.exitCode = 1
}
