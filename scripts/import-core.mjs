// Imports the sources of the core, bundled, because Node resolves neither `.js` to `.ts` nor JSX.
import { join } from "node:path"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..")

/** The folder of the sources. */
export const coreSource = join(root, "packages", "core", "src")

/** @param contents a module that exports what is needed, with paths relative to the sources */
export async function importCore(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: coreSource, loader: "ts" },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["@latchkey/source"],
    write: false,
    logLevel: "silent",
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`)
}
