// Runs simulated worlds: `npm run simulate -- --minutes 10 --seed 1 --workers 2`. Sources and libraries become one bundle, so
// that edits do not affect a run of hours. docs/decisions/simulation.md says what a world is.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..")
const folder = mkdtempSync(join(tmpdir(), "latchkey-simulation-"))
const bundle = join(folder, "simulation.mjs")

try {
  await build({
    absWorkingDir: root,
    entryPoints: ["test/simulation/main.ts"],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    sourcemap: true,
    conditions: ["@latchkey/source", "node"],
    jsx: "automatic",
    jsxImportSource: "preact",
    // Optional peers: loaded only by apps that use them.
    external: ["nodemailer", "rate-limiter-flexible"],
    banner: { js: 'import { createRequire } from "node:module"\nconst require = createRequire(import.meta.url)' },
    logLevel: "warning",
  })
  const args = ["--enable-source-maps", "--disable-warning=ExperimentalWarning", bundle, ...process.argv.slice(2)]
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
